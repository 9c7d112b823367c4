/* hoist_openmp.c: a device by OpenCL. Functions that give an int give 1 when it worked. */

typedef cl_mem device_memory;
typedef cl_event device_event;

enum { MOST_PROGRAMS = 64 };

static struct {
  int tried, works;
  queues queues;
  int is_cpu, has_doubles;
  size_t most_group, units;
  struct {
    const char *const *source;
    cl_program program; /* NULL: it does not build for the device */
  } programs[MOST_PROGRAMS];
  int program_count;
} device;

/* With so many partitions, and queues for each of them. */
static int device_open(int partitions, int queues_of_each) {
  const char *const wanted = getenv("HOIST_DEVICE");
  char name[256] = "";
  cl_uint units = 1;
  cl_device_fp_config doubles = 0;
  cl_device_type type = 0;
  cl_device_id found;
  if (find_device(wanted && *wanted ? strtol(wanted, NULL, 10) : -1, &found) != STREAMS_OK) return 0;
  clGetDeviceInfo(found, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
  clGetDeviceInfo(found, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  clGetDeviceInfo(found, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
  clGetDeviceInfo(found, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  clGetDeviceInfo(found, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device.most_group, &device.most_group, NULL);
  device.units = units;
  device.is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  device.has_doubles = doubles != 0;
  if (partitions > (int)units) partitions = (int)units;
  if (open_queues(&device.queues, found, NULL, units, partitions, queues_of_each) != STREAMS_OK) return 0;
  tell("device %s, %d %s, %d queues", name, partitions,
       device.queues.are_separate ? "partitions" : "partitions that share it", device.queues.count);
  return 1;
}

static device_memory device_allocate(size_t bytes) {
  cl_int status;
  const cl_mem memory = clCreateBuffer(device.queues.context, CL_MEM_READ_WRITE, bytes, NULL, &status);
  return status == CL_SUCCESS ? memory : NULL;
}
static void device_free(device_memory memory) { clReleaseMemObject(memory); }
/* OpenCL pins by memory of its own alone, and arrays are the program's. */
static int device_pin(void *data, size_t bytes) {
  (void)data, (void)bytes;
  return 0;
}
static void device_unpin(void *data) { (void)data; }

static void check(cl_int status, const char *what) {
  if (status == CL_SUCCESS) return;
  fprintf(stderr, "hoist: the device failed: %s (OpenCL's error %d)\n", what, (int)status);
  exit(2);
}

static void device_write(int queue, device_memory to, size_t offset, const void *from, size_t bytes, device_event *event) {
  check(clEnqueueWriteBuffer(device.queues.items[queue], to, CL_FALSE, offset, bytes, from, 0, NULL, event), "an upload");
}
static void device_read(int queue, device_memory from, size_t offset, void *to, size_t bytes) {
  check(clEnqueueReadBuffer(device.queues.items[queue], from, CL_FALSE, offset, bytes, to, 0, NULL, NULL), "a download");
}
/* What is put into `queue` next begins after `event`. */
static void device_wait(int queue, device_event event) {
  check(clEnqueueMarkerWithWaitList(device.queues.items[queue], 1, &event, NULL), "a wait");
  check(clEnqueueBarrierWithWaitList(device.queues.items[queue], 1, &event, NULL), "a wait");
}
static void device_drop_event(device_event event) { clReleaseEvent(event); }
static void device_flush(int queue) { clFlush(device.queues.items[queue]); }
static void device_finish(int queue) { check(clFinish(device.queues.items[queue]), "a kernel or a copy"); }

static cl_program program_of(const char *const *source) {
  for (int p = 0; p < device.program_count; ++p) {
    if (device.programs[p].source == source) return device.programs[p].program;
  }
  if (device.program_count == MOST_PROGRAMS) return NULL;
  cl_uint lines = 0;
  while (source[lines]) ++lines;
  cl_int status;
  cl_program program = clCreateProgramWithSource(device.queues.context, lines, (const char **)source, NULL, &status);
  const char *const options = device.has_doubles ? "-cl-std=CL1.2 -DHOIST_DOUBLES" : "-cl-std=CL1.2";
  if (program && clBuildProgram(program, 1, &device.queues.device, options, NULL, NULL) != CL_SUCCESS) {
    static char log[65536];
    clGetProgramBuildInfo(program, device.queues.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "hoist: the device's compiler refuses the kernels, so the host runs the loops:\n%s\n", log);
    clReleaseProgram(program);
    program = NULL;
  }
  device.programs[device.program_count].source = source;
  device.programs[device.program_count++].program = program;
  return program;
}

/* A kernel that gets its arguments and is launched; `kernel` is NULL when there is none. */
typedef struct device_kernel {
  cl_kernel kernel;
} device_kernel;

static device_kernel device_kernel_of(const char *const *source, const char *name) {
  const cl_program program = program_of(source);
  cl_int status;
  return (device_kernel){program ? clCreateKernel(program, name, &status) : NULL};
}
static void device_kernel_drop(device_kernel kernel) { clReleaseKernel(kernel.kernel); }
static void device_set_memory(device_kernel kernel, unsigned position, device_memory memory) {
  check(clSetKernelArg(kernel.kernel, position, sizeof memory, &memory), "an argument");
}
static void device_set_value(device_kernel kernel, unsigned position, const void *value, size_t bytes) {
  check(clSetKernelArg(kernel.kernel, position, bytes, value), "an argument");
}
static void device_set_local(device_kernel kernel, unsigned position, size_t bytes) {
  check(clSetKernelArg(kernel.kernel, position, bytes, NULL), "an argument");
}
static size_t device_most_group(device_kernel kernel) {
  size_t most = 1;
  clGetKernelWorkGroupInfo(kernel.kernel, device.queues.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
  return most;
}
static void device_launch(int queue, device_kernel kernel, size_t groups, size_t group) {
  const size_t global = groups * group;
  check(clEnqueueNDRangeKernel(device.queues.items[queue], kernel.kernel, 1, NULL, &global, &group, 0, NULL, NULL), "a launch");
}

