/* ---- Tasks on ranks ----
 *
 * Each rank runs a list of nodes, one after the other: copies between the caller's arrays and its own, which have room for the whole
 * arrays, launches of kernels, and messages. A rank has nodes for what it computes, and what it reads and another rank has computed
 * comes as a message. A step asks for the messages of the step behind it before it computes, so that they come meanwhile, and sends what others wait for
 * as soon as it is computed: of a stencil the rows at its borders, before those between. What follows is the same in all programs that
 * `hoist export --ranks` writes. */

enum { RANKS_MESSAGE_FAILED = 10, RANKS_OTHER_COUNT = 11 };

enum { UPLOAD, DOWNLOAD, LAUNCH, COPY, LOOP, SEND, RECEIVE, SEND_INPUT, RECEIVE_OUTPUT };

typedef struct streams streams;
typedef void *device_memory;

typedef struct node {
  int kind;
  int what;        /* which input, output, kernel or loop; copies: the memory that is written; messages: the other rank */
  int cell;        /* which memory; of SEND_INPUT and RECEIVE_OUTPUT which input or output */
  size_t items[3]; /* launches: work-items */
  int numbers;     /* launches: the first of the numbers that the kernel is told */
  int tag;         /* messages: which of those that the two ranks have in a step */
  int ahead;       /* sends: 1 where the step behind this one receives */
  size_t host, device, bytes; /* where in the caller's array and in the memory */
} node;

typedef struct list {
  const node *nodes;
  size_t count;
} list;

/* What a rank does. */
typedef struct plan {
  list only;                /* in a run of one step */
  list first, middle, last; /* in one of several */
  const long long *numbers;
  int faults;               /* the memory of a flag that kernels set when something has no result; -1: there is none */
} plan;

/* What a rank has. */
struct streams {
  const plan *plan;
  MPI_Comm communicator;
  int rank;
  device_memory memory[ARRAYS], place[ARRAYS]; /* what was allocated; where each array is at this moment */
  const void *const *inputs;
  void *const *outputs;
  /* Messages that are on their way: those that the last step sent, and those that this step and the one behind it receive, in turn. */
  MPI_Request *sends, *receives[2];
  char *sent, *received[2];
  int send_count;
  int rounds[MOST_ROUNDS]; /* numbers that loops count */
};

static int is_receive(const node *n) { return n->kind == RECEIVE || n->kind == RECEIVE_OUTPUT; }

static const list *list_of(const streams *s, long long step, long long steps) {
  if (steps == 1) return &s->plan->only;
  return step == 0 ? &s->plan->first : step + 1 == steps ? &s->plan->last : &s->plan->middle;
}

static int allocate(streams *s, const size_t *bytes) {
  const list *lists[4];
  size_t sends = 1, receives = 1, sent = 1, received = 1;
  lists[0] = &s->plan->only, lists[1] = &s->plan->first, lists[2] = &s->plan->middle, lists[3] = &s->plan->last;
  for (int l = 0; l < 4; ++l) {
    size_t sends_here = 0, receives_here = 0, sent_here = 0, received_here = 0;
    for (size_t i = 0; i < lists[l]->count; ++i) {
      const node *n = lists[l]->nodes + i;
      sends_here += n->kind == SEND || n->kind == SEND_INPUT;
      receives_here += is_receive(n) ? 1 : 0;
      sent_here += n->kind == SEND ? n->bytes : 0;
      received_here += n->kind == RECEIVE ? n->bytes : 0;
    }
    if (sends < sends_here) sends = sends_here;
    if (receives < receives_here) receives = receives_here;
    if (sent < sent_here) sent = sent_here;
    if (received < received_here) received = received_here;
  }
  s->sends = (MPI_Request *)malloc(sends * sizeof *s->sends);
  s->sent = (char *)malloc(sent);
  for (int half = 0; half < 2; ++half) {
    s->receives[half] = (MPI_Request *)malloc(receives * sizeof *s->receives[half]);
    s->received[half] = (char *)malloc(received);
    if (!s->receives[half] || !s->received[half]) return STREAMS_NO_MEMORY;
  }
  for (int i = 0; i < ARRAYS; ++i) {
    s->memory[i] = malloc(bytes[i]);
    if (!s->memory[i]) return STREAMS_NO_MEMORY;
  }
  return s->sends && s->sent ? STREAMS_OK : STREAMS_NO_MEMORY;
}

static void close_device(streams *s) {
  for (int i = 0; i < ARRAYS; ++i) free(s->memory[i]);
  for (int half = 0; half < 2; ++half) {
    free(s->receives[half]);
    free(s->received[half]);
  }
  free(s->sends);
  free(s->sent);
}
