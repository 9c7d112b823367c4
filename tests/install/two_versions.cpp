// A process with two versions of libhoist: each of its two users must call the one that it was linked with.
#include <cstdio>
#include <string>

extern "C" {
const char* user_of_libhoist(float* result);
const char* user_of_libhoist_other(float* result);
}

int main() {
  float first = 0, second = 0;
  const std::string one = user_of_libhoist(&first), other = user_of_libhoist_other(&second);
  std::printf("%s: %g\n%s: %g\n", one.c_str(), first, other.c_str(), second);
  const bool are_apart =
      one.find("libhoist.so") != std::string::npos && other.find("libhoist_other.so") != std::string::npos;
  return are_apart && first == 6 && second == 6 ? 0 : 1;
}
