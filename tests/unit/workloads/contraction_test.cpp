// Contractions by their names, against plain loops.
#include "workloads/contraction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "evaluated.hpp"

namespace hoist::workloads {
namespace {

Contraction named(const std::string& name) {
  const auto contraction = contraction_named(name);
  EXPECT_TRUE(contraction.has_value()) << name;
  return *contraction;
}

/// The place of an element, whose index along each dimension is given by its letter, in a row-major array.
std::size_t place(std::string_view indices, const Extents& at, const Extents& extents) {
  std::size_t result = 0;
  for (char index : indices)
    result = result * static_cast<std::size_t>(extents.at(index)) + static_cast<std::size_t>(at.at(index));
  return result;
}

std::vector<std::int64_t> shape(std::string_view indices, const Extents& extents) {
  std::vector<std::int64_t> result;
  for (char index : indices) result.push_back(extents.at(index));
  return result;
}

/// A loop for each index, around one multiplication and one addition.
std::vector<double> by_loops(const Contraction& contraction, const std::vector<double>& left,
                             const std::vector<double>& right, const Extents& extents) {
  const std::string indices = contraction.indices();
  std::vector<double> result(elements_of(shape(contraction.result, extents)), 0.0);
  Extents at;
  const std::function<void(std::size_t)> loop = [&](std::size_t depth) {
    if (depth == indices.size()) {
      result[place(contraction.result, at, extents)] +=
          left[place(contraction.left, at, extents)] * right[place(contraction.right, at, extents)];
      return;
    }
    for (at[indices[depth]] = 0; at[indices[depth]] < extents.at(indices[depth]); ++at[indices[depth]])
      loop(depth + 1);
  };
  loop(0);
  return result;
}

void expect_equal_to_loops(const Contraction& contraction, std::uint64_t seed) {
  Random random(seed);
  Extents extents;
  Sizes sizes;
  for (char index : contraction.indices()) {
    extents[index] = static_cast<std::int64_t>(1 + random.below(4));
    sizes[std::string(1, static_cast<char>(index - 'a' + 'A'))] = extents[index];
  }
  const auto left = small_numbers(elements_of(shape(contraction.left, extents)), random);
  const auto right = small_numbers(elements_of(shape(contraction.right, extents)), random);
  const auto got = evaluated(
      program_of(contraction, Scalar::F64),
      {{shape(contraction.left, extents), left}, {shape(contraction.right, extents), right}}, sizes);
  EXPECT_EQ(got, by_loops(contraction, left, right, extents)) << to_string(contraction) << ", seed " << seed;
}

TEST(Contraction, ProgramsOfCcsdAreWhatTheirLoopsAre) {
  ASSERT_EQ(ccsd_contractions().size(), 19U);
  for (std::string_view name : ccsd_contractions()) {
    for (std::uint64_t seed : {1, 2, 3}) expect_equal_to_loops(named(std::string(name)), seed);
  }
}

TEST(Contraction, ProgramsToLearnFromAreWhatTheirLoopsAre) {
  for (std::uint64_t seed : {1, 2, 3}) {
    for (const Contraction& each : training_contractions(seed)) expect_equal_to_loops(each, seed);
  }
}

TEST(Contraction, ProgramsOfNamesThatAreNotCanonical) {
  for (const char* name : {"zxy-xw-wzy", "ji-jk-ki", "i-kij-jk", "j-k-jk", "nmlkji-nopq-mlkjiopq"})
    expect_equal_to_loops(named(name), 1);
}

TEST(Contraction, TheTextOfAProgram) {
  EXPECT_EQ(program_of(named("ijk-ilk-jl"), Scalar::F32),
            "def contraction_ijk_ilk_jl(A: [I][L][K]f32, B: [J][L]f32): [I][J][K]f32 =\n"
            "  A |> map(Ai => B |> map(Bj => Ai |> transpose |> map(Aik => dotProduct(Aik, Bj))))\n");
}

TEST(Contraction, KernelsThatShipAreTheSameTerms) {
  for (const char* name : {"ij-ik-kj", "ijk-ilk-jl", "ijkl-imkn-jnlm"}) {
    ir::Arena arena;
    std::string kernel = fmt::format("contraction_{}", name);
    std::replace(kernel.begin(), kernel.end(), '-', '_');
    const std::string file = fmt::format("{}/kernels/{}.hoist", HOIST_SOURCE_DIR, kernel);
    std::ifstream stream(file);
    std::stringstream text;
    text << stream.rdbuf();
    EXPECT_EQ(parsed(program_of(named(name), Scalar::F32)).function, parsed(text.str()).function) << file;
  }
}

TEST(Contraction, CanonicalNames) {
  for (std::string_view name : ccsd_contractions())
    EXPECT_EQ(to_string(canonical(named(std::string(name)))), name);
  // Other names of the indices, and the operands the other way round.
  EXPECT_EQ(to_string(canonical(named("xyz-xwz-yw"))), "ijk-ilk-jl");
  EXPECT_EQ(to_string(canonical(named("xyz-yw-xwz"))), "ijk-ilk-jl");
  EXPECT_EQ(to_string(canonical(named("lkji-kmin-lnmj"))), "ijkl-imnk-jnlm");
}

TEST(Contraction, BadNames) {
  for (const char* name : {"", "ij", "ij-ik", "ij-ik-kj-k", "-ik-ki", "ij-ik-kk", "ij-ik-jl", "ij-ijk-ijk",
                           "IJ-IK-KJ", "ij-ik-k j", "ij-i-j", "ab-ac-cb"}) {
    const auto contraction = contraction_named(name);
    ASSERT_FALSE(contraction.has_value()) << name;
    EXPECT_EQ(contraction.error().kind, ErrorKind::User) << name;
  }
}

TEST(Contraction, ThirtyToLearnFrom) {
  for (std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const std::vector<Contraction> drawn = training_contractions(seed);
    EXPECT_EQ(drawn, training_contractions(seed));
    ASSERT_EQ(drawn.size(), 30U);
    std::map<std::size_t, int> by_indices;
    std::set<std::string> names;
    for (const Contraction& each : drawn) {
      const std::string name = to_string(each);
      EXPECT_TRUE(contraction_named(name).has_value()) << name;
      EXPECT_EQ(canonical(each), each) << name;
      EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
      const auto ccsd = ccsd_contractions();
      EXPECT_EQ(std::find(ccsd.begin(), ccsd.end(), name), ccsd.end()) << name << " is judged by";
      const std::size_t contracted = each.indices().size() - each.result.size();
      EXPECT_GE(contracted, 1U) << name;
      EXPECT_LE(contracted, 4U) << name;
      ++by_indices[each.indices().size()];
    }
    EXPECT_THAT(by_indices, testing::ElementsAre(testing::Pair(3, 4), testing::Pair(4, 10),
                                                 testing::Pair(5, 5), testing::Pair(6, 11)));
  }
  EXPECT_NE(training_contractions(1), training_contractions(2));
}

TEST(Contraction, ExtentsThatStayInTheCache) {
  for (std::string_view name : ccsd_contractions()) {
    const Contraction contraction = named(std::string(name));
    for (std::int64_t lanes : {2, 4, 8, 16}) {
      const auto extents = resident_extents(contraction, lanes, 4, 32768);
      ASSERT_TRUE(extents.has_value()) << name << " " << lanes;
      std::size_t bytes = 0;
      for (const std::string& part : {contraction.result, contraction.left, contraction.right}) {
        bytes += 4 * elements_of(shape(part, *extents));
        EXPECT_EQ(extents->at(part.back()) % lanes, 0) << name;
      }
      EXPECT_LE(bytes, 32768U) << name;
      // Not much smaller, either: doubling any one would be too much.
      EXPECT_GT(bytes, 32768U / 3) << name;
    }
  }
  EXPECT_FALSE(resident_extents(named("ijkl-imkn-jnlm"), 64, 8, 32768).has_value());
}

}  // namespace
}  // namespace hoist::workloads
