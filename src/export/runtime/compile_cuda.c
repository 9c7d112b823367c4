/* Lines as one text; NULL without memory. The caller frees it. */
static char *joined(const char *const *lines, size_t count) {
  size_t length = 1;
  char *text, *end;
  for (size_t i = 0; i < count; ++i) length += strlen(lines[i]);
  text = end = (char *)malloc(length);
  if (!text) return NULL;
  for (size_t i = 0; i < count; ++i) {
    const size_t part = strlen(lines[i]);
    memcpy(end, lines[i], part);
    end += part;
  }
  *end = '\0';
  return text;
}

/* Compiles for the device's own architecture: to its binary. NULL when that fails; then *log, where it is asked for, is what the compiler
 * says, or NULL. The caller frees both. */
static char *compiled(CUdevice device, const char *const *lines, size_t count, const char *const *options, int option_count, char **log) {
  enum { MOST = 8 };
  int major = 0, minor = 0;
  char architecture[64];
  const char *all[MOST + 1] = {architecture};
  char *text = joined(lines, count), *binary = NULL;
  nvrtcProgram program = NULL;
  size_t bytes = 0;
  for (int i = 0; i < option_count && i < MOST; ++i) all[i + 1] = options[i];
  if (log) *log = NULL;
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%d", major, minor);
  if (text && nvrtcCreateProgram(&program, text, "kernels.cu", 0, NULL, NULL) == NVRTC_SUCCESS) {
    if (nvrtcCompileProgram(program, option_count + 1, all) == NVRTC_SUCCESS && nvrtcGetCUBINSize(program, &bytes) == NVRTC_SUCCESS) {
      binary = (char *)malloc(bytes);
      if (binary && nvrtcGetCUBIN(program, binary) != NVRTC_SUCCESS) {
        free(binary);
        binary = NULL;
      }
    } else if (log && nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS) {
      *log = (char *)calloc(bytes + 1, 1);
      if (*log) nvrtcGetProgramLog(program, *log);
    }
  }
  if (program) nvrtcDestroyProgram(&program);
  free(text);
  return binary;
}

