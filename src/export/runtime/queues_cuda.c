/* ---- Queues of CUDA: streams, on partitions those of green contexts ---- */

#if CUDA_VERSION >= 12040
#define HAS_GREEN_CONTEXTS 1
#else
#define HAS_GREEN_CONTEXTS 0
typedef int CUgreenCtx;
#endif

typedef struct queues {
  CUdevice device;
  CUcontext context;
  CUgreenCtx *parts;       /* none where all share the device */
  int part_count;
  int partitions, each;    /* queues of a partition; that of number n is on partition n / each */
  CUstream *items;
  int count, are_separate; /* where the device cannot be divided, all share it */
} queues;

static int make_queues(queues *q, int partition) {
  for (int i = partition * q->each; i < (partition + 1) * q->each; ++i) {
    if (cuStreamCreate(&q->items[i], CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) {
      q->items[i] = NULL;
      return 0;
    }
  }
  return 1;
}

static void drop_queues(queues *q) {
  for (int i = 0; i < q->count; ++i) {
    if (q->items[i]) cuStreamDestroy(q->items[i]);
    q->items[i] = NULL;
  }
#if HAS_GREEN_CONTEXTS
  for (int p = 0; p < q->part_count; ++p) cuGreenCtxDestroy(q->parts[p]);
#endif
  q->part_count = 0;
}

#if HAS_GREEN_CONTEXTS
/* A partition of these multiprocessors, with its queues. */
static int make_part(queues *q, CUdevResource *groups, unsigned count) {
  CUdevResourceDesc description;
  CUcontext context;
  int made;
  if (cuDevResourceGenerateDesc(&description, groups, count) != CUDA_SUCCESS ||
      cuGreenCtxCreate(&q->parts[q->part_count], description, q->device, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS) {
    return 0;
  }
  ++q->part_count;
  if (cuCtxFromGreenCtx(&context, q->parts[q->part_count - 1]) != CUDA_SUCCESS || cuCtxPushCurrent(context) != CUDA_SUCCESS) return 0;
  made = make_queues(q, q->part_count - 1);
  cuCtxPopCurrent(NULL);
  return made;
}

/* Divides the multiprocessors into groups of `least` or a few more, and gives each partition as many as the others. */
static int divide_by(queues *q, unsigned least, unsigned most_groups) {
  const unsigned partitions = (unsigned)q->partitions;
  CUdevResource whole, rest, *groups = NULL;
  unsigned count = 0;
  int made = 0;
  if (cuDeviceGetDevResource(q->device, &whole, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS &&
      cuDevSmResourceSplitByCount(NULL, &count, &whole, NULL, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, least) == CUDA_SUCCESS &&
      count >= partitions) {
    if (count > most_groups) count = most_groups;
    groups = (CUdevResource *)calloc(count + 1, sizeof *groups);
    memset(&rest, 0, sizeof rest);
    made = groups && cuDevSmResourceSplitByCount(groups, &count, &whole, &rest, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING,
                                                 least) == CUDA_SUCCESS;
    if (made && count > partitions && rest.sm.smCount > 0) groups[count++] = rest;
    for (unsigned p = 0; made && p < partitions; ++p) {
      const unsigned first = p * count / partitions, end = (p + 1) * count / partitions;
      made = end > first && make_part(q, groups + first, end - first);
    }
  }
  free(groups);
  if (!made) drop_queues(q);
  return made;
}
#endif

/* 0: the driver has no green contexts, or does not divide the device so. Where it joins no groups, they are as large as partitions. */
static int divide(queues *q, int units) {
#if HAS_GREEN_CONTEXTS
  return divide_by(q, 1, (unsigned)units) || divide_by(q, (unsigned)(units / q->partitions), (unsigned)q->partitions);
#else
  (void)q;
  (void)units;
  return 0;
#endif
}

/* Finds the device and how many multiprocessors it has. */
static int find_device(queues *q, int number, int *units) {
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&q->device, number) != CUDA_SUCCESS) return STREAMS_NO_DEVICE;
  return cuDeviceGetAttribute(units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, q->device) == CUDA_SUCCESS ? STREAMS_OK
                                                                                                       : STREAMS_NO_DEVICE;
}

/* In the device's primary context, which becomes the thread's; on failure close_queues lets go of what was made, and of it. */
static int open_queues(queues *q, int units, int partitions, int each) {
  if (partitions > units) return STREAMS_TOO_FEW_UNITS;
  if (cuDevicePrimaryCtxRetain(&q->context, q->device) != CUDA_SUCCESS) {
    q->context = NULL;
    return STREAMS_NO_DEVICE;
  }
  if (cuCtxPushCurrent(q->context) != CUDA_SUCCESS) {
    cuDevicePrimaryCtxRelease(q->device);
    q->context = NULL;
    return STREAMS_NO_DEVICE;
  }
  q->items = (CUstream *)calloc((size_t)(partitions * each), sizeof *q->items);
  q->parts = (CUgreenCtx *)calloc((size_t)partitions, sizeof *q->parts);
  if (!q->items || !q->parts) return STREAMS_NO_MEMORY;
  q->partitions = partitions;
  q->each = each;
  q->count = partitions * each;
  q->are_separate = partitions == 1;
  if (!q->are_separate && divide(q, units)) {
    q->are_separate = 1;
    return STREAMS_OK;
  }
  for (int p = 0; p < partitions; ++p) {
    if (!make_queues(q, p)) return STREAMS_NO_DEVICE;
  }
  return STREAMS_OK;
}

