#pragma once
// What the tests of the interface share. They include what a user includes, and nothing else of Hoist.
#include <gtest/gtest.h>

#include <hoist/hoist.hpp>

namespace hoist::api {

/// The program that a text means.
inline Program program_of(const std::string& text) { return Program::parse(text).value(); }

/// Every device that is here: the host's, and PoCL where there is one.
inline std::vector<Device> every_device() {
  std::vector<Device> result;
  for (const DeviceFacts& facts : devices()) result.push_back(Device::open(facts.id).value());
  return result;
}

inline Device host() { return Device::open("host").value(); }

/// That `result` is an error of this kind with these texts in its message.
template <class T>
void expect_error(const Result<T>& result, ErrorKind kind, const std::string& part) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, kind) << result.error().text();
  EXPECT_NE(result.error().text().find(part), std::string::npos) << result.error().text();
}

}  // namespace hoist::api
