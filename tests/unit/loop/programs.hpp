#pragma once
// Plans as text, and running them, for the tests of the loop layer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "arith/arena.hpp"
#include "loop/check.hpp"
#include "loop/interpret.hpp"
#include "loop/print.hpp"

namespace hoist::loop {

/// The plan that a text is; a test that calls it fails where the text does not parse.
inline Plan parsed(const std::string& text) {
  Result<Plan> plan = parse_plan(text);
  if (!plan) {
    const Source source{"plan", text};
    ADD_FAILURE() << plan.error().render(&source);
    return {};
  }
  return *std::move(plan);
}

template <class Element>
std::vector<std::byte> bytes_of(const std::vector<Element>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(Element));
  std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

template <class Element>
std::vector<Element> elements_of(const std::vector<std::byte>& bytes) {
  std::vector<Element> elements(bytes.size() / sizeof(Element));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

/// Runs a plan that must be accepted by the checker.
struct Trial {
  arith::Bindings sizes;
  std::map<std::string, ScalarValue> scalars;
  Memory memory;
  ExecutionReport report;

  Trial& bind(const std::string& size, std::int64_t value) {
    sizes[arith::size(size).get()] = value;
    return *this;
  }
  Trial& scalar(const std::string& name, const ScalarValue& value) {
    scalars[name] = value;
    return *this;
  }
  template <class Element>
  Trial& input(const std::string& name, const std::vector<Element>& elements) {
    memory[name] = bytes_of(elements);
    return *this;
  }
  Trial& execute(const Plan& plan) {
    const Result<void> checked = check(plan);
    if (!checked) ADD_FAILURE() << checked.error().render() << to_string(plan);
    return execute_unchecked(plan);
  }
  /// For programs that the checker would reject, but that show what the interpreter finds.
  Trial& execute_unchecked(const Plan& plan) {
    const Result<ExecutionReport> result = interpret(plan, sizes, scalars, memory);
    if (!result) {
      ADD_FAILURE() << result.error().render() << to_string(plan);
    } else {
      report = *result;
    }
    return *this;
  }
  template <class Element>
  std::vector<Element> output(const std::string& name) {
    return elements_of<Element>(memory[name]);
  }
};

/// A plan of one kernel `k` with the given declarations, parameters, launch and body.
inline std::string one_kernel(const std::string& declarations, const std::string& parameters,
                              const std::string& launch, const std::string& body) {
  return "plan p {\n" + declarations + "kernel k(" + parameters + ") launch " + launch + " index i32 {\n" +
         body + "}\nsteps { launch k; }\n}\n";
}

}  // namespace hoist::loop
