/* ---- Queues of the host: threads, on partitions those of some processors ---- */

typedef void *device_memory;

typedef struct worker {
  streams *streams;
  pthread_t thread;
  int queue;
} worker;

struct streams {
  const plan *plan;
  device_memory *memory, *place; /* what was allocated; where each array is at this moment */
  worker *workers;
  int worker_count, units;
  pthread_mutex_t lock; /* of all below, but what one thread alone uses */
  pthread_cond_t changed;
  unsigned char *ended;   /* of each node */
  long runs;              /* that were begun */
  int working, is_closing, status;
  const void *const *inputs;
  void *const *outputs;
  int rounds[MOST_ROUNDS]; /* numbers that loops count */
  char where[256];
};

/* The processors that this process may use. */
static int processors(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* The thread, and OpenMP's of its kernels, keep to the processors of its partition. With one partition there is nothing to keep to. */
static void keep_to_partition(const worker *w) {
  const int partitions = w->streams->plan->partitions, partition = w->queue / QUEUES_OF_A_PARTITION;
  const int first = partition * w->streams->units / partitions, end = (partition + 1) * w->streams->units / partitions;
  if (partitions == 1) return;
#ifdef __linux__
  {
    cpu_set_t all, own;
    int number = 0;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof all, &all) == 0) {
      for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (!CPU_ISSET(processor, &all)) continue;
        if (number >= first && number < end) CPU_SET(processor, &own);
        ++number;
      }
      sched_setaffinity(0, sizeof own, &own);
    }
  }
#endif
  kernel_threads(end - first);
}

static int have_ended(const streams *s, const node *n) {
  for (int i = 0; i < n->after_count; ++i) {
    if (!s->ended[s->plan->waits[n->after + i]]) return 0;
  }
  return 1;
}

/* Runs the queue's nodes; after a failure of any they only end. */
static void work_through(streams *s, int queue) {
  for (size_t i = 0; i < s->plan->node_count; ++i) {
    const node *n = s->plan->nodes + i;
    int status;
    if (n->queue != queue) continue;
    pthread_mutex_lock(&s->lock);
    while (!have_ended(s, n)) pthread_cond_wait(&s->changed, &s->lock);
    status = s->status;
    pthread_mutex_unlock(&s->lock);
    if (!status) status = give(s, n);
    pthread_mutex_lock(&s->lock);
    if (!s->status) s->status = status;
    s->ended[i] = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
  }
}

static void *work(void *given) {
  worker *w = (worker *)given;
  streams *s = w->streams;
  long run = 0;
  keep_to_partition(w);
  pthread_mutex_lock(&s->lock);
  for (;;) {
    while (s->runs == run && !s->is_closing) pthread_cond_wait(&s->changed, &s->lock);
    if (s->is_closing) break;
    run = s->runs;
    pthread_mutex_unlock(&s->lock);
    work_through(s, w->queue);
    pthread_mutex_lock(&s->lock);
    if (--s->working == 0) pthread_cond_broadcast(&s->changed);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

static int open_device(streams *s, const plan *plans, size_t count) {
  s->units = processors();
  s->plan = chosen(plans, count, (size_t)s->units);
  if (s->plan->partitions > s->units) return STREAMS_TOO_FEW_UNITS;
  s->ended = (unsigned char *)calloc(s->plan->node_count + 1, 1);
  s->workers = (worker *)calloc((size_t)s->plan->partitions * QUEUES_OF_A_PARTITION, sizeof *s->workers);
  if (!s->ended || !s->workers) return STREAMS_NO_MEMORY;
  if (pthread_mutex_init(&s->lock, NULL) != 0) return STREAMS_NO_MEMORY;
  if (pthread_cond_init(&s->changed, NULL) != 0) {
    pthread_mutex_destroy(&s->lock);
    return STREAMS_NO_MEMORY;
  }
  for (int q = 0; q < s->plan->partitions * QUEUES_OF_A_PARTITION; ++q) {
    worker *w = s->workers + s->worker_count;
    w->streams = s;
    w->queue = q;
    if (pthread_create(&w->thread, NULL, work, w) != 0) return STREAMS_NO_MEMORY;
    ++s->worker_count;
  }
  return STREAMS_OK;
}

static int allocate(streams *s) {
  const plan *p = s->plan;
  s->memory = (device_memory *)calloc(p->memory_count, sizeof *s->memory);
  s->place = (device_memory *)calloc(p->memory_count, sizeof *s->place);
  if (!s->memory || !s->place) return STREAMS_NO_MEMORY;
  for (size_t i = 0; i < p->memory_count; ++i) {
    if (p->memory_bytes[i] == 0) continue;
    s->memory[i] = malloc(p->memory_bytes[i]);
    if (!s->memory[i]) return STREAMS_NO_MEMORY;
  }
  return STREAMS_OK;
}

static void close_device(streams *s) {
  if (s->worker_count > 0) {
    pthread_mutex_lock(&s->lock);
    s->is_closing = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    for (int w = 0; w < s->worker_count; ++w) pthread_join(s->workers[w].thread, NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
  }
  for (size_t i = 0; s->memory && i < s->plan->memory_count; ++i) free(s->memory[i]);
  free(s->memory);
  free(s->place);
  free(s->ended);
  free(s->workers);
}

/* Where the system keeps no threads to processors, only their numbers are a partition's. */
static int are_separate(const streams *s) {
  (void)s;
  return 1;
}

/* ---- What a node does. What is in memory as a whole is the caller's own array, and not copied. */

static int device_upload(streams *s, const node *n, const char *from) {
  char *to = (char *)s->place[n->cell] + n->device;
  if (to != from) memcpy(to, from, n->bytes);
  for (size_t row = 1; to != from && row < n->rows; ++row) memcpy(to + row * n->device_pitch, from + row * n->host_pitch, n->bytes);
  return STREAMS_OK;
}

static int device_download(streams *s, const node *n, char *to) {
  const char *from = (const char *)s->place[n->cell] + n->device;
  if (to != from) memcpy(to, from, n->bytes);
  return STREAMS_OK;
}

static int device_begin_loop(streams *s, const node *n) {
  (void)s;
  (void)n;
  return STREAMS_OK;
}
static int device_end_loop(streams *s, const node *n) {
  (void)s;
  (void)n;
  return STREAMS_OK;
}

static int clear_faults(streams *s) {
  memset(s->place[s->plan->faults], 0, sizeof(int));
  return STREAMS_OK;
}

/* Has the threads work, and waits for them. An array that has no memory here is the caller's. */
static void device_run(streams *s, int *status) {
  if (*status) return;
  for (size_t i = 0; i < s->plan->node_count; ++i) {
    const node *n = s->plan->nodes + i;
    if (n->kind == UPLOAD && !s->memory[n->cell]) s->place[n->cell] = (void *)s->inputs[n->what];
    if (n->kind == DOWNLOAD && !s->memory[n->cell]) s->place[n->cell] = s->outputs[n->what];
  }
  pthread_mutex_lock(&s->lock);
  memset(s->ended, 0, s->plan->node_count);
  s->status = STREAMS_OK;
  s->working = s->worker_count;
  ++s->runs;
  pthread_cond_broadcast(&s->changed);
  while (s->working > 0) pthread_cond_wait(&s->changed, &s->lock);
  *status = s->status;
  pthread_mutex_unlock(&s->lock);
}

static int device_finish(streams *s) {
  (void)s;
  return STREAMS_OK;
}
