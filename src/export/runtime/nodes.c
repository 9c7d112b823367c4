/* ---- Tasks on queues ----
 *
 * The work is a list of nodes in an order in which they may run: uploads and downloads of parts of arrays, launches of kernels,
 * copies on the device, and loops of kernels. A node runs on a queue, behind the nodes that the queue had before, and after some
 * nodes of other queues. A partition of the device has three queues (uploads, kernels, downloads), so that the transfers of one task overlap the
 * kernels of another. What follows is the same in all programs that `hoist export --streams` writes for such a device. */

enum { UPLOAD, DOWNLOAD, LAUNCH, COPY, LOOP };
enum { QUEUES_OF_A_PARTITION = 3 };

typedef struct streams streams;

typedef struct node {
  int kind, queue, task;
  int what;                 /* which input, output, kernel or loop; copies: the memory that is written */
  int cell;                 /* transfers and copies: which memory of the device */
  int slot;                 /* which window, of arrays that are in memory as windows */
  size_t items[3];          /* launches: work-items */
  int numbers;              /* launches: the first of the numbers that the kernel is told */
  int after, after_count;   /* where in `waits` it says which nodes must have ended */
  size_t host, device, bytes; /* transfers: where in the caller's array and in the memory */
  /* Uploads of so many rows, if not 0, of these bytes each: how far the next one is there and in the memory. */
  size_t rows, host_pitch, device_pitch;
} node;

typedef struct kernel {
  const char *name;
  int dynamic_bytes; /* of shared memory, beside what the kernel declares */
  int (*launch)(streams *, const node *, const size_t *items);
} kernel;

/* How the work is cut: the tables of one number of partitions and tasks. */
typedef struct plan {
  size_t units; /* chosen for devices of so many compute units or more */
  int partitions, tasks;
  const node *nodes;
  size_t node_count;
  const int *waits;
  const long long *numbers;
  const size_t *memory_bytes; /* 0: the memory is the caller's */
  size_t memory_count;
  const char *const *source;
  size_t source_lines;
  const kernel *kernels;
  size_t kernel_count;
  int (*const *loops)(streams *, const node *);
  const char *const *inputs, *const *outputs; /* names */
  int faults; /* the memory of a flag that kernels set when something has no result; -1: there is none */
} plan;

static int give(streams *s, const node *n);

static const plan *chosen(const plan *plans, size_t count, size_t units) {
  const plan *found = plans;
  for (size_t i = 0; i < count; ++i) {
    if (plans[i].units <= units) found = plans + i;
  }
  return found;
}

