/* hoist_openmp.c: a device by CUDA's driver and NVRTC. Kernels get their arguments from one place, a launch at a time. */

typedef CUdeviceptr device_memory;
typedef CUevent device_event;

enum { MOST_PROGRAMS = 64, MOST_PARAMETERS = 256, MOST_PARAMETER_BYTES = 256 };

static struct {
  int tried, works;
  queues queues;
  int is_cpu;
  size_t units;
  struct {
    const char *const *source;
    CUmodule program; /* NULL: it does not build for the device */
  } programs[MOST_PROGRAMS];
  int program_count;
  unsigned char values[MOST_PARAMETERS][MOST_PARAMETER_BYTES];
  void *parameters[MOST_PARAMETERS];
  size_t shared; /* bytes of shared memory that the launch needs */
} device;

static void check(CUresult status, const char *what) {
  if (status == CUDA_SUCCESS) return;
  const char *text = NULL;
  cuGetErrorString(status, &text);
  fprintf(stderr, "hoist: the device failed: %s (%s)\n", what, text ? text : "CUDA gives no reason");
  exit(2);
}

/* With so many partitions, and queues for each of them. */
static int device_open(int partitions, int queues_of_each) {
  const char *const wanted = getenv("HOIST_DEVICE");
  char name[256] = "";
  int units = 1;
  if (find_device(&device.queues, wanted && *wanted ? (int)strtol(wanted, NULL, 10) : 0, &units) != STREAMS_OK) return 0;
  cuDeviceGetName(name, sizeof name - 1, device.queues.device);
  device.units = (size_t)units;
  if (partitions > units) partitions = units;
  if (open_queues(&device.queues, units, partitions, queues_of_each) != STREAMS_OK) return 0;
  tell("device %s, %d %s, %d streams", name, partitions,
       device.queues.are_separate ? "partitions" : "partitions that share it", device.queues.count);
  return 1;
}

static device_memory device_allocate(size_t bytes) {
  CUdeviceptr memory = 0;
  return cuMemAlloc(&memory, bytes) == CUDA_SUCCESS ? memory : 0;
}
static void device_free(device_memory memory) { cuMemFree(memory); }
static int device_pin(void *data, size_t bytes) { return cuMemHostRegister(data, bytes, 0) == CUDA_SUCCESS; }
static void device_unpin(void *data) { cuMemHostUnregister(data); }

static void device_write(int queue, device_memory to, size_t offset, const void *from, size_t bytes, device_event *event) {
  check(cuMemcpyHtoDAsync(to + offset, from, bytes, device.queues.items[queue]), "an upload");
  if (!event) return;
  check(cuEventCreate(event, CU_EVENT_DISABLE_TIMING), "an event");
  check(cuEventRecord(*event, device.queues.items[queue]), "an event");
}
static void device_read(int queue, device_memory from, size_t offset, void *to, size_t bytes) {
  check(cuMemcpyDtoHAsync(to, from + offset, bytes, device.queues.items[queue]), "a download");
}
static void device_wait(int queue, device_event event) { check(cuStreamWaitEvent(device.queues.items[queue], event, 0), "a wait"); }
static void device_drop_event(device_event event) { cuEventDestroy(event); }
static void device_flush(int queue) { (void)queue; }
static void device_finish(int queue) { check(cuStreamSynchronize(device.queues.items[queue]), "a kernel or a copy"); }

static CUmodule program_of(const char *const *source) {
  for (int p = 0; p < device.program_count; ++p) {
    if (device.programs[p].source == source) return device.programs[p].program;
  }
  if (device.program_count == MOST_PROGRAMS) return NULL;
  static const char *const options[] = {"--fmad=false"};
  size_t lines = 0;
  char *log;
  CUmodule module = NULL;
  while (source[lines]) ++lines;
  char *const binary = compiled(device.queues.device, source, lines, options, sizeof options / sizeof options[0], &log);
  if (binary) {
    check(cuModuleLoadDataEx(&module, binary, 0, NULL, NULL), "loading the kernels");
  } else {
    fprintf(stderr, "hoist: NVRTC refuses the kernels, so the host runs the loops:\n%s\n", log ? log : "");
  }
  free(binary);
  free(log);
  device.programs[device.program_count].source = source;
  device.programs[device.program_count++].program = module;
  return module;
}

typedef struct device_kernel {
  CUfunction kernel;
} device_kernel;

static device_kernel device_kernel_of(const char *const *source, const char *name) {
  const CUmodule program = program_of(source);
  device_kernel found = {NULL};
  if (program && cuModuleGetFunction(&found.kernel, program, name) != CUDA_SUCCESS) found.kernel = NULL;
  return found;
}
static void device_kernel_drop(device_kernel kernel) { (void)kernel; }
static void device_set_value(device_kernel kernel, unsigned position, const void *value, size_t bytes) {
  (void)kernel;
  if (position >= MOST_PARAMETERS || bytes > MOST_PARAMETER_BYTES) die("a loop takes too many or too large values");
  memcpy(device.values[position], value, bytes);
  device.parameters[position] = device.values[position];
}
static void device_set_memory(device_kernel kernel, unsigned position, device_memory memory) {
  device_set_value(kernel, position, &memory, sizeof memory);
}
/* The argument is where the part of shared memory begins. */
static void device_set_local(device_kernel kernel, unsigned position, size_t bytes) {
  const int begin = (int)device.shared;
  device_set_value(kernel, position, &begin, sizeof begin);
  device.shared += (bytes + 15) / 16 * 16;
}
static size_t device_most_group(device_kernel kernel) {
  int most = 1;
  cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel.kernel);
  return (size_t)most;
}
static void device_launch(int queue, device_kernel kernel, size_t groups, size_t group) {
  check(cuLaunchKernel(kernel.kernel, (unsigned)groups, 1, 1, (unsigned)group, 1, 1, (unsigned)device.shared, device.queues.items[queue],
                       device.parameters, NULL),
        "a launch");
  device.shared = 0;
}

