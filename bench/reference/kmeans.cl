// The assignment step of k-means in the manner of Rodinia: a work-item takes a point, whose features lie N apart so that
// reads are coalesced.
KERNEL(GROUP, 1)
kmeans(GLOBAL const float* RESTRICT points, GLOBAL const float* RESTRICT centres, GLOBAL int* RESTRICT nearest) {
  const int i = GLOBAL_X;
  if (i >= N) return;
  float least = 3.4e38f;
  int best = 0;
  for (int k = 0; k < K; ++k) {
    float distance = 0.0f;
#pragma unroll
    for (int f = 0; f < F; ++f) {
      const float difference = points[f * N + i] - centres[k * F + f];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  nearest[i] = best;
}
