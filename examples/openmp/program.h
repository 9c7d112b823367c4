// What the programs of this folder share: sizes given as NAME=VALUE, inputs from a seed, results as lines
// that two builds of a program can be compared by, and arrays written as .npy files. Included first, before
// any other header.
//
//   int main(int argc, char **argv) {
//     program_begin(argc, argv);
//     const int n = program_size("N", 4096, 1);         // ./program N=100; 4096 by default, at least 1
//     program_ready();                                  // complains of arguments that no size has taken
//     float *x = program_memory(n, sizeof(float));
//     program_fill_f32(x, n, 1, -1.0f, 1.0f);           // seed 1, from -1 to below 1
//     program_input("x", F32, x, 1, n);
//     program_start();
//     ...
//     program_stop();
//     program_result("y", F32, y, 1, n);
//
// A line for each result: `result y f32 4096 sum=... magnitude=... weighted=... least=... most=...` of
// floating-point numbers, to be compared up to a share of the magnitude (the sum of absolute values); `result
// y i32 4096 sum=... hash=...` of integers, which are equal. `--write DIRECTORY` writes inputs and results as
// DIRECTORY/NAME.npy; `hoist eval PROGRAM x=DIRECTORY/x.npy` reads them. `seconds` is the time between start
// and stop.
#ifndef PROGRAM_H
#define PROGRAM_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 199309L  // clock_gettime
#endif

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum element { F32, F64, I32, U8, U16 };

struct program_state {
  int count;           // of arguments
  char** arguments;    // those that were taken are NULL
  const char* folder;  // where arrays are written, or NULL
  double began;        // seconds
};
static struct program_state program;

static inline void program_fail(const char* message, const char* what) {
  fprintf(stderr, "error: %s%s\n", message, what);
  exit(2);
}

static inline void program_begin(int argc, char** argv) {
  program.count = argc;
  program.arguments = argv;
  for (int i = 1; i < argc; ++i) {
    if (!argv[i] || strcmp(argv[i], "--write") != 0) continue;
    if (i + 1 == argc) program_fail("--write needs a folder", "");
    program.folder = argv[i + 1];
    argv[i] = argv[i + 1] = NULL;
  }
}

// The value of NAME=VALUE among the arguments, otherwise `usual`.
static inline int program_size(const char* name, int usual, int least) {
  const size_t length = strlen(name);
  long value = usual;
  for (int i = 1; i < program.count; ++i) {
    const char* each = program.arguments[i];
    if (!each || strncmp(each, name, length) != 0 || each[length] != '=') continue;
    char* end;
    value = strtol(each + length + 1, &end, 10);
    if (*end != '\0' || end == each + length + 1) program_fail("this is no whole number: ", each);
    if (value < least || value > INT32_MAX) program_fail("this size is too small or too large: ", each);
    program.arguments[i] = NULL;
  }
  return (int)value;
}

static inline void program_ready(void) {
  for (int i = 1; i < program.count; ++i) {
    if (program.arguments[i]) program_fail("there is no such size or option: ", program.arguments[i]);
  }
}

// Zeroed memory for `count` elements. It is never given back: it lives as long as the program.
static inline void* program_memory(size_t count, size_t bytes) {
  void* memory = calloc(count, bytes);
  if (!memory) program_fail("there is not enough memory", "");
  return memory;
}

// A number from 0 to below 1, and the state's next one: SplitMix64 (Steele, Lea and Flood 2014).
static inline double program_random(uint64_t* state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline void program_fill_f32(float* x, size_t count, uint64_t seed, float low, float high) {
  for (size_t i = 0; i < count; ++i) x[i] = low + (float)program_random(&seed) * (high - low);
}

static inline void program_fill_f64(double* x, size_t count, uint64_t seed, double low, double high) {
  for (size_t i = 0; i < count; ++i) x[i] = low + program_random(&seed) * (high - low);
}

// Whole numbers from `low` to below `high`.
static inline void program_fill_i32(int* x, size_t count, uint64_t seed, int low, int high) {
  for (size_t i = 0; i < count; ++i) x[i] = low + (int)(program_random(&seed) * (high - low));
}

static inline const char* program_type(enum element element) {
  static const char* const names[] = {"f32", "f64", "i32", "u8", "u16"};
  return names[element];
}

static inline double program_element(const void* data, enum element element, size_t i) {
  switch (element) {
    case F32:
      return ((const float*)data)[i];
    case F64:
      return ((const double*)data)[i];
    case I32:
      return ((const int32_t*)data)[i];
    case U8:
      return ((const uint8_t*)data)[i];
    case U16:
      return ((const uint16_t*)data)[i];
  }
  return 0;
}

// A file in NumPy's format 1.0; the shape is as Python writes a tuple.
static inline void program_write(const char* name, enum element element, const void* data, size_t count,
                                 const char* shape) {
  static const char* const codes[] = {"<f4", "<f8", "<i4", "|u1", "<u2"};
  static const size_t bytes[] = {4, 8, 4, 1, 2};
  char path[4096], header[256];
  snprintf(path, sizeof path, "%s/%s.npy", program.folder, name);
  FILE* file = fopen(path, "wb");
  if (!file) program_fail("this file cannot be written: ", path);
  const int text = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                            codes[element], shape);
  const int length = (text + 1 + 10 + 63) / 64 * 64 - 10;  // the elements begin at a multiple of 64 bytes
  fwrite("\x93NUMPY\x01\x00", 1, 8, file);
  fputc(length & 255, file);
  fputc(length >> 8, file);
  fprintf(file, "%-*s\n", length - 1, header);
  const size_t written = fwrite(data, bytes[element], count, file);
  if (fclose(file) != 0 || written != count) program_fail("this file was not written whole: ", path);
}

// The number of elements of an array with these dimensions, and its shape as NumPy and as a person writes it.
static inline size_t program_shape(int dimensions, va_list lengths, char* tuple, char* text, size_t room) {
  size_t count = 1, used = 0, shown = 0;
  tuple[0] = text[0] = '\0';
  for (int d = 0; d < dimensions; ++d) {
    const int length = va_arg(lengths, int);
    count *= (size_t)length;
    used += (size_t)snprintf(tuple + used, room - used, "%d,", length);
    shown += (size_t)snprintf(text + shown, room - shown, d ? "x%d" : "%d", length);
  }
  if (dimensions == 0) snprintf(text, room, "1");
  return count;
}

// An array that the computation reads, before it does; without dimensions it is a number.
static inline void program_input(const char* name, enum element element, const void* data, int dimensions,
                                 ...) {
  if (!program.folder) return;
  char tuple[128], text[128], shape[136];
  va_list lengths;
  va_start(lengths, dimensions);
  const size_t count = program_shape(dimensions, lengths, tuple, text, sizeof tuple);
  va_end(lengths);
  snprintf(shape, sizeof shape, "(%s)", tuple);
  program_write(name, element, data, count, shape);
}

// An array that was computed; without dimensions it is a number.
static inline void program_result(const char* name, enum element element, const void* data, int dimensions,
                                  ...) {
  char tuple[128], text[128], shape[136];
  va_list lengths;
  va_start(lengths, dimensions);
  const size_t count = program_shape(dimensions, lengths, tuple, text, sizeof tuple);
  va_end(lengths);
  snprintf(shape, sizeof shape, "(%s)", tuple);
  if (program.folder) program_write(name, element, data, count, shape);
  printf("result %s %s %s", name, program_type(element), text);
  if (element == F32 || element == F64) {
    double sum = 0, magnitude = 0, weighted = 0, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
      const double each = program_element(data, element, i);
      sum += each;
      magnitude += fabs(each);
      weighted +=
          each * ((double)((i + 1) * 7919 % 1009) / 1009);  // so that elements in another order are seen
      least = fmin(least, each);
      most = fmax(most, each);
    }
    printf(" sum=%.17g magnitude=%.17g weighted=%.17g least=%.17g most=%.17g\n", sum, magnitude, weighted,
           least, most);
  } else {
    int64_t sum = 0;
    uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (size_t i = 0; i < count; ++i) {
      const int64_t each = (int64_t)program_element(data, element, i);
      sum += each;
      hash = (hash ^ (uint64_t)each) * 1099511628211u;
    }
    printf(" sum=%lld hash=%016llx\n", (long long)sum, (unsigned long long)hash);
  }
}

static inline double program_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void program_start(void) { program.began = program_seconds(); }

static inline void program_stop(void) { printf("seconds %.6f\n", program_seconds() - program.began); }

#endif
