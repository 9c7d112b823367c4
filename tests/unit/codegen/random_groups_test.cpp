// Random kernels whose work-items exchange values through local memory, always with a barrier between: no
// fault is possible, whatever the random choices are.
#include <cmath>
#include <random>

#include "unit/codegen/support.hpp"

namespace hoist::codegen {
namespace {

constexpr std::uint32_t first_seed = 1;
constexpr std::uint32_t seeds = 96;
constexpr std::uint32_t kernels_in_a_text = 24;
constexpr int groups = 12, items = 8, inputs = 97, outputs = groups * items;

class RandomKernel {
 public:
  explicit RandomKernel(std::uint32_t seed) : random_(seed) {}

  /// A kernel of this name over A: f32[inputs], K: i32[groups], C: f32[outputs].
  std::string text(const std::string& name) {
    text_ = fmt::format("kernel {}(read A: global f32[{}], read K: global i32[{}], write C: global f32[{}]) ",
                        name, inputs, groups, outputs);
    if (pick(5) == 0) {
      of_one_work_item();
      return text_ + "}\n";
    }
    const bool is_grouped = pick(4) > 0, is_flat = pick(2) == 0 || !is_grouped;
    text_ +=
        fmt::format("launch global [{0}, {1}, 1] local [{2}, {1}, 1] index i32 {{\n",
                    groups * (is_flat ? items : items / 2), is_flat ? 1 : 2, is_flat ? items : items / 2);
    if (is_grouped) {
      grouped(is_flat);
    } else {
      // Nothing but independent iterations.
      item_ = "i";
      text_ += fmt::format("for i in global(0) [0, {}) step 1 {{\n", outputs);
      declare_state();
      statements(3, true);
      text_ += "C[i] = " + result() + ";\n}\n";
    }
    return text_ + "}\n";
  }

 private:
  void grouped(bool is_flat) {
    is_grouped_ = true;
    item_ = is_flat ? "l" : "(4 * m + l)";
    text_ += fmt::format("for g in group(0) [0, {}) step 1 : exactly_once {{\n", groups);
    text_ += fmt::format("allocate s: local f32[{0}]; allocate t: local f32[{0}];\n", items);
    text_ += fmt::format("alias p: local f32[{0}] = s; alias q: local f32[{0}] = t;\n", items);
    text_ += "let u: i32 index [0, 8) = K[g];\n";
    if (!is_flat) text_ += "for m in local(1) [0, 2) step 1 : exactly_once {\n";
    text_ += fmt::format("for l in local(0) [0, {}) step 1 : exactly_once {{\n", is_flat ? items : items / 2);
    text_ += fmt::format("s[{0}] = A[{0}]; t[{0}] = A[{0} + 9]; barrier(local);\n", item_);
    declare_state();
    statements(3, true);
    text_ += fmt::format("C[{} * g + {}] = {};\n", items, item_, result());
    text_ += is_flat ? "}\n}\n" : "}\n}\n}\n";
  }

  /// Groups of one work-item in two dimensions, which keep what they read in local memory.
  void of_one_work_item() {
    constexpr int lanes = items / 2;
    text_ += fmt::format("launch global [{}, {}, 1] local [1, 1, 1] index i32 {{\n", lanes, groups);
    text_ += fmt::format("allocate s: local f32[4];\nfor g in group(1) [0, {}) step 1 : exactly_once {{\n",
                         groups);
    text_ += fmt::format("for h in group(0) [0, {}) step 1 : exactly_once {{\n", lanes);
    const int stride = 1 + pick(3);
    const auto read = [&](const std::string& shift) {
      return fmt::format("A[({} * g + {} * h + {}) % {}]", items, stride, shift, inputs);
    };
    if (pick(2) == 0) {
      text_ += fmt::format("for i in sequential [0, 4) step 1 {{ s[i] = {}; }}\n", read("i"));
    } else {
      for (int i = 0; i < 4; ++i) text_ += fmt::format("s[{}] = {};\n", i, read(std::to_string(i)));
    }
    const auto write = [&](const std::string& row) {
      return fmt::format("C[{} * g + {} * {} + h] = s[{} + {}] - 0.5 * s[{}];\n", items, lanes, row, row,
                         pick(3), pick(4));
    };
    if (pick(2) == 0) {
      text_ += fmt::format("C[{} * g + {} + h] = 1.5;\n", items, lanes);
      text_ += fmt::format("for k in sequential [0, {}) step 1 {{ {} }}\n",
                           pick(2) == 0 ? "2" : "min(g + 1, 2)", write("k"));
    } else {
      text_ += write("0") + write("1");
    }
    text_ += "}\n}\n";
  }

  void declare_state() {
    text_ += "var x: f32 = 0.5; var y: f32; y = A[3]; allocate a: private f32[4];\n";
    text_ += "for z in sequential [0, 4) step 1 { a[z] = as_f32(index_i32(z)); }\n";
    variables_ = {"x", "y"};
  }
  std::string result() { return "x + y * 0.25 + a[1] - a[2]"; }

  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  std::string fresh(const char* stem) { return fmt::format("{}{}", stem, next_++); }

  void statements(int depth, bool is_uniform) {
    const auto variables = variables_;
    const auto loops = loops_;
    for (int count = 1 + pick(4); count > 0; --count) statement(depth, is_uniform);
    variables_ = variables;
    loops_ = loops;
  }

  void statement(int depth, bool is_uniform) {
    switch (pick(depth > 0 ? 10 : 6)) {
      case 0:
        text_ += fmt::format("{} = {};\n", pick(2) == 0 ? "x" : "y", value(2));
        return;
      case 1:
        text_ += fmt::format("a[{}] = {};\n", slot(), value(2));
        return;
      case 2: {
        const std::string name = fresh("v");
        text_ += fmt::format("let {}: f32 = {};\n", name, value(2));
        variables_.push_back(name);
        return;
      }
      case 3:
      case 4:
        if (!is_uniform || !is_grouped_) return;
        // The value may read any local memory, so all have to have read before it is written.
        {
          const std::string name = fresh("w");
          text_ += fmt::format("let {}: f32 = {};\nbarrier(local);\n{}[{}] = {};\nbarrier(local);\n", name,
                               value(2), local(), item_, name);
        }
        return;
      case 5:
        if (is_uniform && is_grouped_) text_ += "swap(p, q);\n";
        return;
      case 6:
        text_ += fmt::format("if ({} < 1.0) {{\n", value(1));
        statements(depth - 1, false);
        text_ += "} else {\n";
        statements(depth - 1, false);
        text_ += "}\n";
        return;
      case 7:
        if (!is_grouped_) return;
        text_ += fmt::format("if (test({} < {})) {{\n", loops_.empty() ? "g" : loops_.back(), 1 + pick(3));
        statements(depth - 1, is_uniform);
        text_ += "}\n";
        return;
      default: {
        const std::string variable = fresh("k");
        text_ += fmt::format("for {} in sequential [{}, {}) step {} {{\n", variable, pick(2), 1 + pick(4),
                             1 + pick(2));
        loops_.push_back(variable);
        statements(depth - 1, is_uniform);
        text_ += "}\n";
        loops_.pop_back();
        return;
      }
    }
  }

  const char* local() {
    constexpr const char* names[] = {"s", "t", "p", "q"};
    return names[pick(4)];
  }
  std::string slot() { return loops_.empty() || pick(2) == 0 ? fmt::format("{}", pick(4)) : loops_.back(); }

  std::string value(int depth) {
    if (depth > 0) {
      switch (pick(5)) {
        case 0:
          return fmt::format("0.5 * ({} + {})", value(depth - 1), value(depth - 1));
        case 1:
          return fmt::format("max({}, {})", value(depth - 1), value(depth - 1));
        case 2:
          return fmt::format("({} - {}) * 0.25", value(depth - 1), value(depth - 1));
        case 3:
          return fmt::format("select({} < 0.5, {}, {})", value(0), value(depth - 1), value(depth - 1));
        default:
          break;
      }
    }
    switch (pick(5)) {
      case 0:
        return fmt::format("a[{}]", slot());
      case 1:
        if (is_grouped_)
          return fmt::format("{}[({} + {}) % {}]", local(), item_, pick(2) == 0 ? "u" : "3", items);
        return fmt::format("A[({} + {}) % {}]", item_, slot(), inputs);
      case 2:
        return fmt::format("A[({} * {} + {}) % {}]", 1 + pick(3), item_, slot(), inputs);
      case 3:
        return fmt::format("{}.5", pick(3));
      default:
        return variables_[static_cast<std::size_t>(pick(static_cast<int>(variables_.size())))];
    }
  }

  std::mt19937 random_;
  std::string text_, item_;
  std::vector<std::string> variables_, loops_;
  bool is_grouped_ = false;
  int next_ = 0;
};

TEST(RandomGroups, ComputeWhatTheInterpreterDoes) {
  std::vector<float> a(inputs);
  for (std::size_t at = 0; at < a.size(); ++at) a[at] = 0.25F * static_cast<float>(at * 11 % 23) - 2.0F;
  const loop::Memory given{{"A", bytes_of(a)},
                           {"K", bytes_of(std::vector<std::int32_t>{3, 0, 7, 5, 1, 1, 2, 6, 4, 0, 3, 7})}};
  for (std::uint32_t seed = first_seed; seed < first_seed + seeds; seed += kernels_in_a_text) {
    std::string text = fmt::format(
        "plan p {{\ninput A: global f32[{}]; input K: global i32[{}]; output C: global f32[{}];\n", inputs,
        groups, outputs);
    for (std::uint32_t at = 0; at < kernels_in_a_text; ++at) {
      text += RandomKernel(seed + at).text(fmt::format("k{}", seed + at));
    }
    const loop::Plan plan = parsed(text + "steps { }\n}\n");
    ASSERT_EQ(plan.kernels.size(), kernels_in_a_text);
    const Result<void> checked = loop::check(plan);
    ASSERT_TRUE(checked) << checked.error().render();
    for (const std::string& id : devices()) {
      if (id != "host" && seed > first_seed) continue;  // OpenCL's compilers take a second for each kernel
      Execution execution(id, plan, {}, {});
      for (std::size_t at = 0; at < plan.kernels.size(); ++at) {
        loop::Plan one = plan;
        one.kernels = {plan.kernels[at]};
        SCOPED_TRACE(id + "\n" + loop::to_string(one.kernels[0]) +
                     text_of(id == "host" ? host(one) : opencl(one)));
        one.steps = {{loop::LaunchStep{0}}};
        loop::Memory want = given, got = given;
        const auto report = loop::interpret(one, {}, {}, want);
        ASSERT_TRUE(report) << report.error().render();
        ASSERT_THAT(report->faults, testing::IsEmpty());
        execution.run(got, {{loop::LaunchStep{at}}});
        const auto expected = elements_of<float>(want["C"]), actual = elements_of<float>(got["C"]);
        for (std::size_t element = 0; element < expected.size(); ++element) {
          ASSERT_NEAR(expected[element], actual[element], 1e-4 * (1 + std::fabs(expected[element])))
              << "C[" << element << "], seed " << seed + at;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hoist::codegen
