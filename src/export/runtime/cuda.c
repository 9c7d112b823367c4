/* ---- A device by CUDA ---- */

typedef CUdeviceptr device_memory;

struct streams {
  const plan *plan;
  queues queues;
  CUmodule module;
  CUfunction *kernels;
  device_memory *memory, *place; /* what was allocated; where each array is at this moment */
  CUevent *events;               /* of each node */
  const void *const *inputs;
  void *const *outputs;
  int rounds[MOST_ROUNDS];       /* numbers that loops count */
  char where[256];
};

static int failed(streams *s, const node *n, int status, int code);

static int enter(streams *s) { return cuCtxPushCurrent(s->queues.context) == CUDA_SUCCESS ? STREAMS_OK : STREAMS_NO_DEVICE; }

/* The context is the thread's current one, and no longer afterwards. */
static void close_queues(queues *q) {
  drop_queues(q);
  cuCtxPopCurrent(NULL);
  cuDevicePrimaryCtxRelease(q->device);
  free(q->items);
  free(q->parts);
}

static int open_device(streams *s, const plan *plans, size_t count, int device) {
  int units = 1;
  if (find_device(&s->queues, device, &units)) return STREAMS_NO_DEVICE;
  s->plan = chosen(plans, count, (size_t)units);
  return open_queues(&s->queues, units, s->plan->partitions, QUEUES_OF_A_PARTITION);
}

static int build(streams *s) {
  const plan *p = s->plan;
  static const char *const options[] = {"--std=c++17", "--prec-div=false", "--prec-sqrt=false"};
  char *binary = compiled(s->queues.device, p->source, p->source_lines, options, sizeof options / sizeof options[0], NULL);
  const int is_loaded = binary && cuModuleLoadDataEx(&s->module, binary, 0, NULL, NULL) == CUDA_SUCCESS;
  free(binary);
  if (!is_loaded) {
    s->module = NULL;
    return STREAMS_BUILD_FAILED;
  }
  s->kernels = (CUfunction *)calloc(p->kernel_count, sizeof *s->kernels);
  if (!s->kernels) return STREAMS_NO_MEMORY;
  for (size_t k = 0; k < p->kernel_count; ++k) {
    if (cuModuleGetFunction(&s->kernels[k], s->module, p->kernels[k].name) != CUDA_SUCCESS) return STREAMS_BUILD_FAILED;
    if (p->kernels[k].dynamic_bytes > 0 &&
        cuFuncSetAttribute(s->kernels[k], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, p->kernels[k].dynamic_bytes) !=
            CUDA_SUCCESS) {
      return STREAMS_BUILD_FAILED;
    }
  }
  return STREAMS_OK;
}

static int allocate(streams *s) {
  const plan *p = s->plan;
  s->memory = (device_memory *)calloc(p->memory_count, sizeof *s->memory);
  s->place = (device_memory *)calloc(p->memory_count, sizeof *s->place);
  s->events = (CUevent *)calloc(p->node_count + 1, sizeof *s->events);
  if (!s->memory || !s->place || !s->events) return STREAMS_NO_MEMORY;
  for (size_t i = 0; i < p->memory_count; ++i) {
    if (cuMemAlloc(&s->memory[i], p->memory_bytes[i]) != CUDA_SUCCESS) {
      s->memory[i] = 0;
      return STREAMS_NO_MEMORY;
    }
  }
  for (size_t i = 0; i < p->node_count; ++i) {
    if (cuEventCreate(&s->events[i], CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
      s->events[i] = NULL;
      return STREAMS_NO_MEMORY;
    }
  }
  return STREAMS_OK;
}

/* The context is the thread's current one. */
static void close_device(streams *s) {
  if (!s->queues.context) return;
  for (size_t i = 0; s->events && i < s->plan->node_count; ++i) {
    if (s->events[i]) cuEventDestroy(s->events[i]);
  }
  for (size_t i = 0; s->memory && i < s->plan->memory_count; ++i) {
    if (s->memory[i]) cuMemFree(s->memory[i]);
  }
  if (s->module) cuModuleUnload(s->module);
  close_queues(&s->queues);
  free(s->memory);
  free(s->place);
  free(s->events);
  free(s->kernels);
}

static int are_separate(const streams *s) { return s->queues.are_separate; }

/* ---- What a node gives its queue */

static int wait_for_others(streams *s, const node *n) {
  for (int i = 0; i < n->after_count; ++i) {
    const CUresult result = cuStreamWaitEvent(s->queues.items[n->queue], s->events[s->plan->waits[n->after + i]], 0);
    if (result != CUDA_SUCCESS) return failed(s, n, STREAMS_LAUNCH_FAILED, (int)result);
  }
  return STREAMS_OK;
}

static int mark(streams *s, const node *n) {
  const CUresult result = cuEventRecord(s->events[n - s->plan->nodes], s->queues.items[n->queue]);
  return result == CUDA_SUCCESS ? STREAMS_OK : failed(s, n, STREAMS_LAUNCH_FAILED, (int)result);
}

static CUresult upload_rows(streams *s, const node *n, const char *from) {
  CUDA_MEMCPY2D rows;
  memset(&rows, 0, sizeof rows);
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = from;
  rows.srcPitch = n->host_pitch;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = s->place[n->cell] + n->device;
  rows.dstPitch = n->device_pitch;
  rows.WidthInBytes = n->bytes;
  rows.Height = n->rows;
  return cuMemcpy2DAsync(&rows, s->queues.items[n->queue]);
}

static int device_upload(streams *s, const node *n, const char *from) {
  CUresult result;
  if (wait_for_others(s, n)) return STREAMS_LAUNCH_FAILED;
  if (n->rows > 0) {
    result = upload_rows(s, n, from);
  } else {
    result = cuMemcpyHtoDAsync(s->place[n->cell] + n->device, from, n->bytes, s->queues.items[n->queue]);
  }
  return result == CUDA_SUCCESS ? mark(s, n) : failed(s, n, STREAMS_TRANSFER_FAILED, (int)result);
}

static int device_download(streams *s, const node *n, char *to) {
  CUresult result;
  if (wait_for_others(s, n)) return STREAMS_LAUNCH_FAILED;
  result = cuMemcpyDtoHAsync(to, s->place[n->cell] + n->device, n->bytes, s->queues.items[n->queue]);
  return result == CUDA_SUCCESS ? mark(s, n) : failed(s, n, STREAMS_TRANSFER_FAILED, (int)result);
}

/* Loops have waited before, and are marked behind their last launch. */
static int device_launch(streams *s, const node *n, int number, const size_t *items, const unsigned *local, void **arguments) {
  CUresult result;
  if (n->kind != LOOP && wait_for_others(s, n)) return STREAMS_LAUNCH_FAILED;
  result = cuLaunchKernel(s->kernels[number], (unsigned)items[0] / local[0], (unsigned)items[1] / local[1],
                          (unsigned)items[2] / local[2], local[0], local[1], local[2],
                          (unsigned)s->plan->kernels[number].dynamic_bytes, s->queues.items[n->queue], arguments, NULL);
  if (result != CUDA_SUCCESS) return failed(s, n, STREAMS_LAUNCH_FAILED, (int)result);
  return n->kind == LOOP ? STREAMS_OK : mark(s, n);
}

static int device_begin_loop(streams *s, const node *n) { return wait_for_others(s, n); }
static int device_end_loop(streams *s, const node *n) { return mark(s, n); }

static int device_copy(streams *s, const node *n, int from, int to, size_t bytes) {
  const CUresult result = cuMemcpyDtoDAsync(s->place[to], s->place[from], bytes, s->queues.items[n->queue]);
  return result == CUDA_SUCCESS ? STREAMS_OK : failed(s, n, STREAMS_TRANSFER_FAILED, (int)result);
}

static int device_read(streams *s, const node *n, int cell, void *to, size_t bytes) {
  CUresult result = cuMemcpyDtoHAsync(to, s->place[cell], bytes, s->queues.items[n->queue]);
  if (result == CUDA_SUCCESS) result = cuStreamSynchronize(s->queues.items[n->queue]);
  return result == CUDA_SUCCESS ? STREAMS_OK : failed(s, n, STREAMS_TRANSFER_FAILED, (int)result);
}

static int clear_faults(streams *s) {
  const CUstream queue = s->queues.items[s->plan->nodes->queue];
  CUresult result = cuMemsetD8Async(s->place[s->plan->faults], 0, sizeof(int), queue);
  if (result == CUDA_SUCCESS) result = cuStreamSynchronize(queue);
  return result == CUDA_SUCCESS ? STREAMS_OK : failed(s, s->plan->nodes, STREAMS_TRANSFER_FAILED, (int)result);
}

/* Waits for all that queues were given. A kernel that fails takes the context with it: the driver does not say which. */
static int device_finish(streams *s) {
  int status = STREAMS_OK;
  for (int q = 0; q < s->queues.count; ++q) {
    const CUresult result = cuStreamSynchronize(s->queues.items[q]);
    if (result != CUDA_SUCCESS && !status) status = failed(s, NULL, STREAMS_LAUNCH_FAILED, (int)result);
  }
  return status;
}

static void device_run(streams *s, int *status) {
  for (size_t i = 0; !*status && i < s->plan->node_count; ++i) *status = give(s, s->plan->nodes + i);
}

