/* ---- Queues of OpenCL, on partitions of a device ---- */

typedef struct queues {
  cl_device_id device;
  cl_context context;
  int partitions, each;    /* queues of a partition; that of number n is on partition n / each */
  cl_command_queue *items;
  int count, are_separate; /* where the device cannot be divided, all share it */
} queues;

/* The device of this number, or where it is negative the first GPU, or else the first device. */
static int find_device(long number, cl_device_id *device) {
  static const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
  enum { MOST = 16 };
  cl_platform_id platforms[MOST];
  cl_uint platform_count = 0;
  if (clGetPlatformIDs(MOST, platforms, &platform_count) != CL_SUCCESS) return STREAMS_NO_DEVICE;
  if (platform_count > MOST) platform_count = MOST;
  for (int t = number < 0 ? 0 : 1; t < 2; ++t) {
    for (cl_uint p = 0; p < platform_count; ++p) {
      cl_device_id devices[MOST];
      cl_uint count = 0;
      if (clGetDeviceIDs(platforms[p], types[t], MOST, devices, &count) != CL_SUCCESS) continue;
      if (count > MOST) count = MOST;
      for (cl_uint d = 0; d < count; ++d) {
        if (number-- > 0) continue;
        *device = devices[d];
        return STREAMS_OK;
      }
    }
  }
  return STREAMS_NO_DEVICE;
}

/* Makes queues of sub-devices that have about as many compute units each. 0: the device cannot be divided so. */
static int divide(queues *q, size_t units) {
  const size_t partitions = (size_t)q->partitions;
  cl_device_partition_property *counts = (cl_device_partition_property *)calloc(partitions + 3, sizeof *counts);
  cl_device_id *parts = (cl_device_id *)calloc(partitions, sizeof *parts);
  cl_int result = CL_OUT_OF_HOST_MEMORY;
  if (counts && parts) {
    counts[0] = CL_DEVICE_PARTITION_BY_COUNTS;
    for (size_t p = 0; p < partitions; ++p) {
      counts[p + 1] = (cl_device_partition_property)((p + 1) * units / partitions - p * units / partitions);
    }
    counts[partitions + 1] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
    result = clCreateSubDevices(q->device, counts, (cl_uint)partitions, parts, NULL);
  }
  /* Sub-devices stay until the process ends: drivers let go of commands after these have ended. */
  for (int i = 0; i < q->count && result == CL_SUCCESS; ++i) {
    q->items[i] = clCreateCommandQueue(q->context, parts[i / q->each], 0, &result);
  }
  for (int i = 0; i < q->count && result != CL_SUCCESS; ++i) {
    if (q->items[i]) clReleaseCommandQueue(q->items[i]);
    q->items[i] = NULL;
  }
  free(counts);
  free(parts);
  return result == CL_SUCCESS;
}

/* Of a device with so many compute units; a context that is NULL is made. What was made is the caller's to close, also on failure. */
static int open_queues(queues *q, cl_device_id device, cl_context context, size_t units, int partitions, int each) {
  cl_int result;
  if ((size_t)partitions > units) return STREAMS_TOO_FEW_UNITS;
  q->device = device;
  if (!context) {
    q->context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
  } else if (clRetainContext(context) == CL_SUCCESS) {
    q->context = context;
  }
  if (!q->context) return STREAMS_NO_DEVICE;
  q->items = (cl_command_queue *)calloc((size_t)(partitions * each), sizeof *q->items);
  if (!q->items) return STREAMS_NO_MEMORY;
  q->partitions = partitions;
  q->each = each;
  q->count = partitions * each;
  q->are_separate = partitions == 1 || divide(q, units);
  for (int i = 0; i < q->count; ++i) {
    if (!q->items[i]) q->items[i] = clCreateCommandQueue(q->context, device, 0, &result);
    if (!q->items[i]) return STREAMS_NO_DEVICE;
  }
  return STREAMS_OK;
}

