/* ---- A device by OpenCL ---- */

typedef cl_mem device_memory;

struct streams {
  const plan *plan;
  queues queues;
  cl_program program;
  cl_kernel *kernels;
  size_t *widest;                /* of each kernel's grids so far, on PoCL */
  int is_pocl;
  device_memory *memory, *place; /* what was allocated; where each array is at this moment */
  cl_event *events, *waits;      /* of each node; room for what a node waits for */
  const void *const *inputs;
  void *const *outputs;
  int rounds[MOST_ROUNDS];       /* numbers that loops count */
  char where[256];
};

static int failed(streams *s, const node *n, int status, int code);

static void close_queues(queues *q) {
  for (int i = 0; i < q->count; ++i) {
    if (q->items[i]) clReleaseCommandQueue(q->items[i]);
  }
  if (q->context) clReleaseContext(q->context);
  free(q->items);
}

static int runs_on_pocl(cl_device_id device) {
  cl_platform_id platform;
  char name[64] = "";
  return clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS &&
         clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL) == CL_SUCCESS &&
         strcmp(name, "Portable Computing Language") == 0;
}

static int open_device(streams *s, const plan *plans, size_t count, cl_device_id device, cl_context context) {
  cl_uint units = 1;
  if (!device && context) return STREAMS_INVALID_ARGUMENT;
  if (!device && find_device(-1, &device) != STREAMS_OK) return STREAMS_NO_DEVICE;
  if (clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL) != CL_SUCCESS) return STREAMS_NO_DEVICE;
  s->plan = chosen(plans, count, units);
  s->is_pocl = runs_on_pocl(device);
  return open_queues(&s->queues, device, context, units, s->plan->partitions, QUEUES_OF_A_PARTITION);
}

static int build(streams *s, const char *options) {
  const plan *p = s->plan;
  cl_int result;
  s->kernels = (cl_kernel *)calloc(p->kernel_count, sizeof *s->kernels);
  s->widest = (size_t *)calloc(p->kernel_count, sizeof *s->widest);
  if (!s->kernels || !s->widest) return STREAMS_NO_MEMORY;
  s->program = clCreateProgramWithSource(s->queues.context, (cl_uint)p->source_lines, (const char **)p->source, NULL, &result);
  if (!s->program) return STREAMS_NO_MEMORY;
  if (clBuildProgram(s->program, 1, &s->queues.device, options, NULL, NULL) != CL_SUCCESS) return STREAMS_BUILD_FAILED;
  for (size_t k = 0; k < p->kernel_count; ++k) {
    s->kernels[k] = clCreateKernel(s->program, p->kernels[k].name, &result);
    if (!s->kernels[k]) return STREAMS_BUILD_FAILED;
  }
  return STREAMS_OK;
}

static int allocate(streams *s) {
  const plan *p = s->plan;
  cl_int result;
  s->memory = (device_memory *)calloc(p->memory_count, sizeof *s->memory);
  s->place = (device_memory *)calloc(p->memory_count, sizeof *s->place);
  s->events = (cl_event *)calloc(p->node_count + 1, sizeof *s->events);
  s->waits = (cl_event *)calloc(p->node_count + 1, sizeof *s->waits);
  if (!s->memory || !s->place || !s->events || !s->waits) return STREAMS_NO_MEMORY;
  for (size_t i = 0; i < p->memory_count; ++i) {
    s->memory[i] = clCreateBuffer(s->queues.context, CL_MEM_READ_WRITE, p->memory_bytes[i], NULL, &result);
    if (!s->memory[i]) return STREAMS_NO_MEMORY;
  }
  return STREAMS_OK;
}

static void close_device(streams *s) {
  for (size_t i = 0; s->memory && i < s->plan->memory_count; ++i) {
    if (s->memory[i]) clReleaseMemObject(s->memory[i]);
  }
  for (size_t k = 0; s->kernels && k < s->plan->kernel_count; ++k) {
    if (s->kernels[k]) clReleaseKernel(s->kernels[k]);
  }
  if (s->program) clReleaseProgram(s->program);
  close_queues(&s->queues);
  free(s->memory);
  free(s->place);
  free(s->events);
  free(s->waits);
  free(s->kernels);
  free(s->widest);
}

static int are_separate(const streams *s) { return s->queues.are_separate; }

/* ---- What a node gives its queue. Commands of loops wait for nothing but the queue. */

static cl_event *event_of(streams *s, const node *n) { return n->kind == LOOP ? NULL : s->events + (n - s->plan->nodes); }

static cl_uint waits_of(streams *s, const node *n) {
  if (n->kind == LOOP) return 0;
  for (int i = 0; i < n->after_count; ++i) s->waits[i] = s->events[s->plan->waits[n->after + i]];
  return (cl_uint)n->after_count;
}

/* Others may wait for the command, which begins only where the queue was flushed. */
static int given(streams *s, const node *n, int status, cl_int result) {
  if (result == CL_SUCCESS) result = clFlush(s->queues.items[n->queue]);
  return result == CL_SUCCESS ? STREAMS_OK : failed(s, n, status, (int)result);
}

static int device_upload(streams *s, const node *n, const char *from) {
  const cl_uint count = waits_of(s, n);
  if (n->rows > 0) {
    const size_t there[3] = {n->device % n->device_pitch, n->device / n->device_pitch, 0}, here[3] = {0, 0, 0};
    const size_t region[3] = {n->bytes, n->rows, 1};
    return given(s, n, STREAMS_TRANSFER_FAILED,
                 clEnqueueWriteBufferRect(s->queues.items[n->queue], s->place[n->cell], CL_FALSE, there, here, region, n->device_pitch,
                                          0, n->host_pitch, 0, from, count, count ? s->waits : NULL, event_of(s, n)));
  }
  return given(s, n, STREAMS_TRANSFER_FAILED,
               clEnqueueWriteBuffer(s->queues.items[n->queue], s->place[n->cell], CL_FALSE, n->device, n->bytes, from, count,
                                    count ? s->waits : NULL, event_of(s, n)));
}

static int device_download(streams *s, const node *n, char *to) {
  const cl_uint count = waits_of(s, n);
  return given(s, n, STREAMS_TRANSFER_FAILED,
               clEnqueueReadBuffer(s->queues.items[n->queue], s->place[n->cell], CL_FALSE, n->device, n->bytes, to, count,
                                   count ? s->waits : NULL, event_of(s, n)));
}

/* PoCL before version 7 may abort where a kernel begins on a wider grid than ever before while others of it run: such a launch is made alone. */
static int device_launch(streams *s, const node *n, cl_kernel kernel, const size_t *global, const size_t *local) {
  const cl_uint count = waits_of(s, n);
  size_t width = global[0] > global[1] ? global[0] : global[1];
  if (global[2] > width) width = global[2];
  const int is_alone = s->is_pocl && width > s->widest[n->what];
  for (int q = 0; is_alone && q < s->queues.count; ++q) clFinish(s->queues.items[q]);
  cl_int result = clEnqueueNDRangeKernel(s->queues.items[n->queue], kernel, 3, NULL, global, local, count, count ? s->waits : NULL,
                                         event_of(s, n));
  if (is_alone && result == CL_SUCCESS) {
    s->widest[n->what] = width;
    result = clFinish(s->queues.items[n->queue]);
  }
  return given(s, n, STREAMS_LAUNCH_FAILED, result);
}

static int device_begin_loop(streams *s, const node *n) {
  for (int i = 0; i < n->after_count; ++i) s->waits[i] = s->events[s->plan->waits[n->after + i]];
  if (n->after_count == 0) return STREAMS_OK;
  return given(s, n, STREAMS_LAUNCH_FAILED,
               clEnqueueBarrierWithWaitList(s->queues.items[n->queue], (cl_uint)n->after_count, s->waits, NULL));
}

static int device_end_loop(streams *s, const node *n) {
  return given(s, n, STREAMS_LAUNCH_FAILED,
               clEnqueueMarkerWithWaitList(s->queues.items[n->queue], 0, NULL, s->events + (n - s->plan->nodes)));
}

static int device_copy(streams *s, const node *n, int from, int to, size_t bytes) {
  return given(s, n, STREAMS_TRANSFER_FAILED,
               clEnqueueCopyBuffer(s->queues.items[n->queue], s->place[from], s->place[to], 0, 0, bytes, 0, NULL, NULL));
}

static int device_read(streams *s, const node *n, int cell, void *to, size_t bytes) {
  return given(s, n, STREAMS_TRANSFER_FAILED,
               clEnqueueReadBuffer(s->queues.items[n->queue], s->place[cell], CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

static int clear_faults(streams *s) {
  const cl_int none = 0;
  return given(s, s->plan->nodes, STREAMS_TRANSFER_FAILED,
               clEnqueueWriteBuffer(s->queues.items[s->plan->nodes->queue], s->place[s->plan->faults], CL_TRUE, 0, sizeof none, &none, 0,
                                    NULL, NULL));
}

/* Waits for all that queues were given. A node that failed takes with it those that wait for it: what is told is the first. */
static int device_finish(streams *s) {
  int status = STREAMS_OK;
  for (int q = 0; q < s->queues.count; ++q) {
    const cl_int result = clFinish(s->queues.items[q]);
    if (result != CL_SUCCESS && !status) status = failed(s, NULL, STREAMS_LAUNCH_FAILED, (int)result);
  }
  for (size_t i = 0; i < s->plan->node_count; ++i) {
    const node *n = s->plan->nodes + i;
    cl_int result = CL_COMPLETE;
    if (!s->events[i]) continue;
    clGetEventInfo(s->events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof result, &result, NULL);
    if (result < CL_COMPLETE && !status) {
      status = failed(s, n, n->kind == UPLOAD || n->kind == DOWNLOAD ? STREAMS_TRANSFER_FAILED : STREAMS_LAUNCH_FAILED, (int)result);
    }
    clReleaseEvent(s->events[i]);
    s->events[i] = NULL;
  }
  return status;
}

static void device_run(streams *s, int *status) {
  for (size_t i = 0; !*status && i < s->plan->node_count; ++i) *status = give(s, s->plan->nodes + i);
}

