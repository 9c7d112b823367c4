/* What loops of OpenMP C that `hoist openmp` translated are run by: devices, the memory on them, and which copy of an array is
 * valid where. Compile hoist_openmp.c with the translated files and link the OpenCL loader (-lOpenCL), or define
 * HOIST_OPENMP_CUDA for files translated with --target cuda and link -lcuda -lnvrtc.
 *
 * Environment:
 *   HOIST_STREAMS=P,T    partitions of the device, and tasks that a loop is cut into; "auto" takes them from a table
 *   HOIST_STREAMS_TABLE  a file of lines `loop,iterations,partitions,tasks` for "auto" (lines that begin with # are skipped)
 *   HOIST_DEVICE         "host": every loop runs where it stands; a number: which of the devices
 *   HOIST_VERBOSE=1      tells on standard error what runs where and why, and at the end what was moved
 *
 * The host must not touch an array while a loop runs; loops return when all is computed. One thread at a time may call this. */
#ifndef HOIST_OPENMP_H
#define HOIST_OPENMP_H

/* As C of GNU has it by itself: the file that includes this may count on it. */
#if !defined(_GNU_SOURCE) && !defined(_POSIX_C_SOURCE) && !defined(_XOPEN_SOURCE) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1
#endif
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct hoist_task hoist_task; /* a part of a loop's iterations */

typedef struct hoist_loop {
  const char *kernel;             /* its name in the source */
  const char *place;              /* "gemm.c:20" */
  const char *const *source;      /* all kernels of the file, as lines; the last is NULL */
  /* Tells what iterations first..last (numbered from 0) of the outermost loop take, in the order of the kernel's parameters. */
  void (*task)(const void *given, long first, long last, hoist_task *task);
  /* Combines the reductions' parts: the number of the reduction, then count values. May be NULL. */
  void (*combine)(const void *given, int reduction, const void *parts, size_t count);
  int stays;                      /* results are kept on the device until the host asks: the loop is repeated */
} hoist_loop;

/* Runs the loop of so many outermost iterations, of which each has `inner` work-items. 0: the device cannot, and the caller
 * runs the loop itself; all arrays are valid on the host. */
int hoist_run(const hoist_loop *loop, const void *given, long iterations, long inner);

/* ---- Called by a loop's task function ---- */

/* The next argument is an array of which element 0 is at `data`; `bytes` is what is known of its size from there on, or 0. */
void hoist_array(hoist_task *task, const void *data, size_t element, size_t bytes);
/* Elements low..high of the array are read, or written: all of them for sure, or perhaps some. Nothing when high < low. Perhaps
 * none of them (`if`): then low..high is cut to what the array has. */
void hoist_reads(hoist_task *task, long low, long high);
void hoist_may_read(hoist_task *task, long low, long high);
void hoist_writes_all(hoist_task *task, long low, long high);
void hoist_writes(hoist_task *task, long low, long high);
void hoist_may_write(hoist_task *task, long low, long high);
/* Any element: the whole array is taken. */
void hoist_reads_any(hoist_task *task);
void hoist_writes_any(hoist_task *task);
/* A number or structure by value. */
void hoist_value(hoist_task *task, const void *value, size_t bytes);
/* A variable that the loop changes: it is sent, and fetched when the loop ends. */
void hoist_variable(hoist_task *task, void *variable, size_t bytes);
/* Room for a reduction's parts, one for each work-group, and the local memory to make them. */
void hoist_reduction(hoist_task *task, size_t bytes);
/* The locks of `critical`, which are 0. */
void hoist_locks(hoist_task *task, int count);
/* What the ranges above assume; when it is false the host runs the loop. */
void hoist_assume(hoist_task *task, int holds);

/* ---- Called by the host's code around loops ---- */

/* Before the host reads, or reads and changes, what an address may lead to; NULL is any array. */
void hoist_host_reads(const void *data);
void hoist_host_writes(const void *data);
/* The same of exactly these bytes. */
void hoist_host_reads_bytes(const void *data, size_t bytes);
void hoist_host_writes_bytes(const void *data, size_t bytes);
/* An array's life ends: its copy is dropped. */
void hoist_forget(const void *data, size_t bytes);

/* A local array from its declaration to the end of its block. */
typedef struct hoist_scope {
  const void *data;
  size_t bytes;
} hoist_scope;
void hoist_leave_scope(const hoist_scope *scope);
hoist_scope hoist_enter_scope(const void *data, size_t bytes);
#define HOIST_SCOPE(array)                                                                                   \
  const hoist_scope hoist_scope_of_##array __attribute__((cleanup(hoist_leave_scope), unused)) = \
      hoist_enter_scope(&array, sizeof array)

/* At the start of a function that other files call: what they did to arrays is not known, and when it returns, by whichever way,
 * they find all arrays valid. HOIST_LEAVES_VALID is the second half. */
void hoist_leave_function(const int *unused);
#define HOIST_LEAVES_VALID const int hoist_leaves __attribute__((cleanup(hoist_leave_function), unused)) = 0
#define HOIST_BOUNDARY                                                                                        \
  HOIST_LEAVES_VALID;                                                                                         \
  hoist_host_writes(NULL)

/* Memory whose size is known from here on: what follows the inclusion of this header allocates by these. */
void *hoist_malloc(size_t bytes);
void *hoist_calloc(size_t count, size_t bytes);
void *hoist_realloc(void *data, size_t bytes);
void *hoist_aligned_alloc(size_t alignment, size_t bytes);
int hoist_posix_memalign(void **data, size_t alignment, size_t bytes);
void hoist_free(void *data);
#ifndef HOIST_OPENMP_RUNTIME
#define malloc(bytes) hoist_malloc(bytes)
#define calloc(count, bytes) hoist_calloc(count, bytes)
#define realloc(data, bytes) hoist_realloc(data, bytes)
#define aligned_alloc(alignment, bytes) hoist_aligned_alloc(alignment, bytes)
#define posix_memalign(data, alignment, bytes) hoist_posix_memalign(data, alignment, bytes)
#define free(data) hoist_free(data)
#endif

#define HOIST_LEAST(a, b) ((a) < (b) ? (a) : (b))
#define HOIST_MOST(a, b) ((a) > (b) ? (a) : (b))

#endif
