// The product of a sparse matrix and a vector, with the matrix as jagged diagonals: rows are sorted by how
// many elements they have, and the k-th elements of all rows that have one lie one after the other. After the
// description of spmv in Parboil 2.5. The matrix has N rows and columns and at most D elements a row, Z in
// all: elements, columns of Z numbers, starts of D (of the diagonals), lengths and rows (which row a sorted
// one is) of N; x, y of N numbers. y is written through an index.
#include "program.h"

static void multiply(int n, const float* elements, const int* columns, const int* starts, const int* lengths,
                     const int* rows, const float* x, float* y) {
#pragma omp parallel for schedule(dynamic, 64)
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < lengths[i]; ++k) {
      const int j = starts[k] + i;
      sum += elements[j] * x[columns[j]];
    }
    y[rows[i]] = sum;
  }
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 16384, 1);
  const int most = program_size("D", 32, 1);
  program_ready();
  int* degrees = program_memory(n, sizeof(int));
  int* starts = program_memory(most, sizeof(int));
  int* lengths = program_memory(n, sizeof(int));
  int* rows = program_memory(n, sizeof(int));
  int* positions = program_memory(n, sizeof(int));
  float* x = program_memory(n, sizeof(float));
  float* y = program_memory(n, sizeof(float));
  program_fill_i32(degrees, n, 1, 1, most + 1);
  // The rows by how many elements they have, the longest first; equals stay in order.
  int sorted = 0;
  for (int degree = most; degree >= 1; --degree) {
    for (int row = 0; row < n; ++row) {
      if (degrees[row] != degree) continue;
      rows[sorted] = row;
      positions[row] = sorted;
      lengths[sorted++] = degree;
    }
  }
  int total = 0;
  for (int k = 0; k < most; ++k) {
    starts[k] = total;
    for (int i = 0; i < n && lengths[i] > k; ++i) ++total;
  }
  float* elements = program_memory(total, sizeof(float));
  int* columns = program_memory(total, sizeof(int));
  program_fill_f32(elements, total, 2, -1.0f, 1.0f);
  program_fill_i32(columns, total, 3, 0, n);
  program_fill_f32(x, n, 4, -1.0f, 1.0f);
  program_input("elements", F32, elements, 1, total);
  program_input("columns", I32, columns, 1, total);
  program_input("starts", I32, starts, 1, most);
  program_input("lengths", I32, lengths, 1, n);
  program_input("positions", I32, positions, 1,
                n);  // the inverse of rows: where the sorted row of each row is
  program_input("x", F32, x, 1, n);
  program_start();
  multiply(n, elements, columns, starts, lengths, rows, x, y);
  program_stop();
  program_result("y", F32, y, 1, n);
  return 0;
}
