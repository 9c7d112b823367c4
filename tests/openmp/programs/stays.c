// What is not translated, each with the message on its line; all of it runs on the host, beside a loop that does not.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 40 };
static int numbers[N], order[N];
static double a[N][N];

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }  // stays: calls itself
static int counted(int i) {
  static int calls;
  return i + 0 * ++calls;  // stays: keeps its value
}
struct list {
  int *items;
  int count;
};
static void orphan(int n) {
#pragma omp for  // stays: not in this function
  for (int i = 0; i < n; ++i) numbers[i] += i;
}

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < N; ++i) numbers[i] = i;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) numbers[i] += fibonacci(i % 10);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    if (i == 7) printf("seven\n");  // stays: no input and output
    numbers[i]++;
  }
#pragma omp parallel for
  for (int i = 0; i < N; ++i) numbers[i] += counted(i);
  int last = 0;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    last = last / 2 + numbers[i];  // stays: depend on each other through 'last'
  }
#pragma omp parallel for
  for (int i = 1; i < N; ++i) numbers[i] = numbers[i - 1] + 1;  // stays: depend on each other through 'numbers'
#pragma omp parallel for
  for (int k = 0; k < N; ++k)
    for (int i = k + 1; i < N; ++i)
      for (int j = 0; j < N; ++j) a[i][j] += a[k][j] + 1;  // stays: depend on each other through 'a'
  int *rows[N];
  for (int i = 0; i < N; ++i) rows[i] = &order[i];
#pragma omp parallel for
  for (int i = 0; i < N; ++i) rows[i][0] = i;  // stays: pointer
  struct list list = {numbers, N};
#pragma omp parallel for
  for (int i = 0; i < N; ++i) list.items[i] += 2;  // stays: pointer that is not known before the loop
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    int *scratch = malloc(sizeof *scratch);  // stays: allocates no memory
    *scratch = i;
    numbers[i] += *scratch;
    free(scratch);
  }
#pragma omp parallel
  {
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();  // stays: shares out work by
#pragma omp for
    for (int i = 0; i < N; ++i) numbers[i] += thread - thread + threads / threads;
  }
#pragma omp parallel  // stays: no loop that is shared out
  numbers[0] = 9;
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    double room[numbers[0] + 1];  // stays: no constant length
    room[0] = i;
    numbers[i] += (int)room[0];
  }
#pragma omp parallel for ordered  // stays: one iteration after the other
  for (int i = 0; i < N; ++i) {
#pragma omp ordered
    numbers[i] += 1;
  }
  long double wide = 1;
#pragma omp parallel for  // stays: no type 'long double'
  for (int i = 0; i < N; ++i) numbers[i] += (int)(wide * i);
#pragma omp parallel for
  for (int i = 0; i < N; ++i) {
    if (i == 5) goto next;  // stays: goto
    numbers[i] += 1;
  next:;
  }
#pragma omp parallel for
  for (int i = 0; i < N; ++i) numbers[i] += rand() % 1;  // stays: keeps its state on the host
#pragma omp parallel sections  // stays: not translated
  {
#pragma omp section
    numbers[1] += 1;
  }
  orphan(N);
  long sum = 0;
  double total = 0;
  for (int i = 0; i < N; ++i) {
    sum = sum * 7 % 1000003 + numbers[i] + order[i];
    total += a[N - 1][i];
  }
  printf("%d %ld %g\n", last, sum, total);
  return 0;
}
