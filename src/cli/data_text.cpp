#include "cli/data_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace hoist::cli {

namespace {

std::string scalar_text(const Tensor& tensor, std::size_t element) {
  const ScalarValue value = load_scalar(tensor.bytes.data(), tensor.scalar, element);
  if (tensor.scalar == Scalar::Bool) return value.integer != 0 ? "true" : "false";
  if (tensor.scalar == Scalar::F32) return fmt::format("{}", static_cast<float>(value.real));
  if (tensor.scalar == Scalar::F64) return fmt::format("{}", value.real);
  return digits_of(value);
}

Json scalar_json(const Tensor& tensor, std::size_t element) {
  const ScalarValue value = load_scalar(tensor.bytes.data(), tensor.scalar, element);
  if (tensor.scalar == Scalar::Bool) return value.integer != 0;
  if (is_float(tensor.scalar)) return value.real;
  if (tensor.scalar == Scalar::U64) return static_cast<std::uint64_t>(value.integer);
  return value.integer;
}

class ElementPrinter {
 public:
  ElementPrinter(const Tensor& tensor, std::int64_t most) : tensor_(tensor), most_(most) {}

  void add(std::string& text, std::size_t dimension, std::size_t first, std::size_t count) const {
    if (dimension == tensor_.shape.size()) {
      text += scalar_text(tensor_, first);
      return;
    }
    const std::int64_t extent = tensor_.shape[dimension];
    const std::size_t each = extent == 0 ? 0 : count / static_cast<std::size_t>(extent);
    text += '[';
    for (std::int64_t i = 0; i < extent; ++i) {
      if (i > 0) text += ", ";
      if (i == most_) {
        text += "...";
        break;
      }
      add(text, dimension + 1, first + static_cast<std::size_t>(i) * each, each);
    }
    text += ']';
  }

 private:
  const Tensor& tensor_;
  std::int64_t most_;
};

std::string type_text(const Tensor& tensor) {
  std::string text;
  for (const std::int64_t extent : tensor.shape) text += fmt::format("[{}]", extent);
  return text + std::string(name_of(tensor.scalar));
}

std::string name_text(const Data& data, const std::string& path) {
  return data.size() == 1 ? "result" : "result" + path;
}

}  // namespace

std::string elements_text(const Tensor& tensor, std::optional<std::int64_t> given) {
  const std::int64_t by_rank[] = {1, 8, 4, 2};
  const std::int64_t most = given.value_or(by_rank[std::min<std::size_t>(tensor.shape.size(), 3)]);
  std::string text;
  ElementPrinter(tensor, most).add(text, 0, 0, static_cast<std::size_t>(tensor.elements()));
  return text;
}

std::string result_text(const std::vector<driver::NamedLeaf>& leaves, const Data& data,
                        std::optional<std::int64_t> most) {
  std::string text;
  for (std::size_t i = 0; i < data.size(); ++i) {
    text += fmt::format("{}: {} = {}\n", name_text(data, leaves[i].path), type_text(data[i]),
                        elements_text(data[i], most));
  }
  return text;
}

Json result_json(const std::vector<driver::NamedLeaf>& leaves, const Data& data,
                 std::optional<std::int64_t> most) {
  Json result = Json::array();
  for (std::size_t i = 0; i < data.size(); ++i) {
    Json elements = Json::array();
    const std::int64_t shown = std::min(most.value_or(8), data[i].elements());
    for (std::int64_t k = 0; k < shown; ++k)
      elements.push_back(scalar_json(data[i], static_cast<std::size_t>(k)));
    result.push_back({{"name", name_text(data, leaves[i].path)},
                      {"type", name_of(data[i].scalar)},
                      {"shape", data[i].shape},
                      {"first_elements", std::move(elements)}});
  }
  return result;
}

}  // namespace hoist::cli
