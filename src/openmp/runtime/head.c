/* What runs the loops that `hoist openmp` translated: see hoist_openmp.h. In order: ranges, objects and mappings (which copy is
 * valid); the device; tasks of loops. */
#define HOIST_OPENMP_RUNTIME
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "hoist_openmp.h"
/* Where the header was there before (-include for all files of a program), too, memory comes from the library here. */
#undef malloc
#undef calloc
#undef realloc
#undef aligned_alloc
#undef posix_memalign
#undef free

#include <stdarg.h>
#include <stdio.h>
#ifdef HOIST_OPENMP_CUDA
#include <cuda.h>
#include <nvrtc.h>
#else
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#endif

#ifndef _OPENMP
/* OpenMP's functions in a program that is compiled without it: there is one thread. */
#include <time.h>
__attribute__((weak)) double omp_get_wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
__attribute__((weak)) double omp_get_wtick(void) { return 1e-9; }
__attribute__((weak)) int omp_get_thread_num(void) { return 0; }
__attribute__((weak)) int omp_get_num_threads(void) { return 1; }
__attribute__((weak)) int omp_get_max_threads(void) { return 1; }
__attribute__((weak)) int omp_get_num_procs(void) { return 1; }
__attribute__((weak)) int omp_in_parallel(void) { return 0; }
__attribute__((weak)) void omp_set_num_threads(int threads) { (void)threads; }
__attribute__((weak)) void omp_set_dynamic(int dynamic) { (void)dynamic; }
__attribute__((weak)) void omp_set_nested(int nested) { (void)nested; }
#endif

static void tell(const char *format, ...) {
  const char *const wanted = getenv("HOIST_VERBOSE");
  if (!wanted || !*wanted || *wanted == '0') return;
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "hoist: ");
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
}

static void die(const char *message) {
  fprintf(stderr, "hoist: %s\n", message);
  exit(2);
}
