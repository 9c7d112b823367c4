// Distances to a place in the manner of Rodinia: a work-item takes a place.
KERNEL(GROUP, 1)
nn(GLOBAL const float* RESTRICT latitudes, GLOBAL const float* RESTRICT longitudes, const float latitude,
   const float longitude, GLOBAL float* RESTRICT distances) {
  const int i = GLOBAL_X;
  if (i >= N) return;
  const float dy = latitude - latitudes[i];
  const float dx = longitude - longitudes[i];
  distances[i] = SQRT(dy * dy + dx * dx);
}
