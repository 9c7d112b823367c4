#include "measure/device_turn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace hoist::measure {

namespace {

std::string variable_or(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

/// The same id is another device where other devices are visible. What both are is spelled as a file's name.
std::string file_of(const std::string& device) {
  std::string name = device + "-" + variable_or("CUDA_VISIBLE_DEVICES", "all");
  for (char& character : name) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) == 0) character = '-';
  }
  return fmt::format("{}/hoist-turn-{}-{}", variable_or("TMPDIR", "/tmp"), geteuid(), name);
}

}  // namespace

DeviceTurn::DeviceTurn(const std::string& device)
    : file_(open(file_of(device).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)) {}

DeviceTurn::~DeviceTurn() {
  if (file_ >= 0) close(file_);
}

bool DeviceTurn::take(const std::function<bool()>& is_over) {
  // A turn takes some milliseconds, or seconds. Looking again and again, unlike waiting in flock, can be
  // ended; who has waited for long looks less often, so that many who wait do not keep the machine busy.
  constexpr std::chrono::microseconds first_look{200}, last_look{5000};
  constexpr double growth = 1.1;
  std::chrono::duration<double> look = first_look;
  while (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (is_over()) return false;
    std::this_thread::sleep_for(look);
    look = std::min<std::chrono::duration<double>>(growth * look, last_look);
  }
  return true;
}

void DeviceTurn::give_back() {
  if (file_ >= 0) flock(file_, LOCK_UN);
}

}  // namespace hoist::measure
