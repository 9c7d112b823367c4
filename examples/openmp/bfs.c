// How many edges each of N nodes of a graph is away from node `source`, or -1: breadth-first search, a level
// at a time. After the description of bfs in Parboil 2.5. The graph is undirected: degrees and first (the
// place of its first edge) of each node, edges (the nodes at their other ends) of E numbers. levels of N
// numbers; in a level, `reached` marks its nodes and `next` those of the next level, which several nodes may
// write.
#include "program.h"

static int search(int n, const int* first, const int* degrees, const int* edges, int source, int* levels,
                  uint8_t* reached, uint8_t* next) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    levels[i] = i == source ? 0 : -1;
    reached[i] = i == source;
    next[i] = 0;
  }
  int level = 0, more = 1;
  while (more) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int i = 0; i < n; ++i) {
      if (!reached[i]) continue;
      for (int e = first[i]; e < first[i] + degrees[i]; ++e) {
        const int other = edges[e];
        if (levels[other] >= 0) continue;
#pragma omp atomic write
        next[other] = 1;
      }
    }
    more = 0;
    ++level;
#pragma omp parallel for reduction(|| : more)
    for (int i = 0; i < n; ++i) {
      reached[i] = next[i];
      if (next[i]) levels[i] = level;
      more = more || next[i];
      next[i] = 0;
    }
  }
  return level;
}

int main(int argc, char** argv) {
  program_begin(argc, argv);
  const int n = program_size("N", 16384, 1);
  const int mean = program_size("D", 4, 1);  // undirected edges for each node
  program_ready();
  const int64_t pairs = (int64_t)n * mean;
  if (2 * pairs > INT32_MAX) program_fail("2 N D edges are too many", "");
  const int source = 0;
  const int edge_count = (int)(2 * pairs);
  int* ends = program_memory(edge_count, sizeof(int));
  int* first = program_memory(n, sizeof(int));
  int* degrees = program_memory(n, sizeof(int));
  int* edges = program_memory(edge_count, sizeof(int));
  int* levels = program_memory(n, sizeof(int));
  uint8_t* reached = program_memory(n, 1);
  uint8_t* next = program_memory(n, 1);
  // Most edges lead to a near node, so that there are many levels; some nodes (every 97th) have none.
  uint64_t seed = 1;
  for (int p = 0; p < pairs; ++p) {
    const int reach = program_random(&seed) < 0.001 ? n : 64;
    int a = (int)(program_random(&seed) * n);
    int b = (int)((a + (int64_t)(program_random(&seed) * reach)) % n);
    if (n > 1 && a % 97 == 96) --a;
    if (n > 1 && b % 97 == 96) --b;
    ends[2 * p] = a;
    ends[2 * p + 1] = b;
    ++degrees[a];
    ++degrees[b];
  }
  for (int i = 1; i < n; ++i) first[i] = first[i - 1] + degrees[i - 1];
  for (int i = 0; i < n; ++i) degrees[i] = 0;
  for (int e = 0; e < edge_count; ++e) {
    const int node = ends[e];
    edges[first[node] + degrees[node]++] = ends[e ^ 1];
  }
  program_input("first", I32, first, 1, n);
  program_input("degrees", I32, degrees, 1, n);
  program_input("edges", I32, edges, 1, edge_count);
  program_input("source", I32, &source, 0);
  program_start();
  const int count = search(n, first, degrees, edges, source, levels, reached, next);
  program_stop();
  program_result("levels", I32, levels, 1, n);
  program_result("level_count", I32, &count, 0);
  return 0;
}
