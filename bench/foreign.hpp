#pragma once
// Libraries that Hoist is held against, opened at run time, so that a bench builds anywhere and runs where
// they are.
#include <dlfcn.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "output.hpp"
#include "runtime/measure.hpp"

namespace hoist::bench {

/// There is nothing to measure here.
struct Skip {
  std::string reason;
};
struct Failed {
  std::string what;
};

/// The first of these libraries that opens; Skip where none does.
void* open_first(const std::vector<std::string>& names);

/// A function of a library that returns 0 when all is well, and is a Failed else.
template <class... Parameters>
class Function {
 public:
  Function(void* library, const char* name) : name_(name) {
    *reinterpret_cast<void**>(&pointer_) = dlsym(library, name);
    if (!pointer_) throw Skip{std::string("the library has no ") + name};
  }
  void operator()(Parameters... parameters) const {
    if (int status = pointer_(parameters...))
      throw Failed{std::string(name_) + " gave " + std::to_string(status)};
  }

 private:
  const char* name_;
  int (*pointer_)(Parameters...) = nullptr;
};

/// From -1 to 1, always the same.
std::vector<float> random_floats(std::size_t count);
/// Failed where 64 random elements of a result are further from the truth, which is given by their index,
/// than rounding may take sums of so many terms that are not beyond 1.
void check_elements(const std::vector<float>& result, std::size_t terms,
                    const std::function<double(std::size_t index)>& truth);
/// The same of C = A B, all by rows, where C has so many columns and A has `inner`.
void check_product(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c,
                   std::size_t columns, std::size_t inner);

/// The seconds that so many calls give, after three that do not count.
runtime::Measurement times_of(const std::function<double()>& once, std::size_t repetitions);

/// The lengths that a shape such as 2048x512 names, each from 1 to 2^30; a CLI::ValidationError where the
/// text is none.
std::vector<std::size_t> lengths_of(const std::string& text);

struct LibraryCase {
  std::string benchmark;
  std::vector<std::pair<std::string, std::size_t>> sizes;
  double flops, bytes;  ///< bytes: inputs and outputs, each once
  std::function<runtime::Measurement()> time;
};
/// Times the cases and writes them, each row with what is in `common`. The exit status: 0 all right, 2 the
/// library failed, 3 a case did, 77 there is nothing to measure. `cases` opens the library.
int report_library(const std::function<std::vector<LibraryCase>(nlohmann::json& common)>& cases,
                   const Output& output);

}  // namespace hoist::bench
