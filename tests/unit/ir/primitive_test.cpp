// Every row of the table of primitives.
#include <algorithm>
#include <set>

#include "ir/scheme_parse.hpp"
#include "support.hpp"

namespace hoist::ir {
namespace {

std::vector<Op> all_ops() {
  std::vector<Op> ops;
  for (const Primitive& row : all_primitives()) ops.push_back(row.op);
  return ops;
}

class EveryPrimitive : public testing::TestWithParam<Op> {};

TEST_P(EveryPrimitive, IsFoundByItsName) {
  const Primitive& row = primitive(GetParam());
  EXPECT_EQ(row.op, GetParam());
  EXPECT_EQ(primitive_named(row.name), GetParam());
}

TEST_P(EveryPrimitive, HasOneLineOfDocumentation) {
  const std::string_view text = primitive(GetParam()).documentation;
  EXPECT_GE(text.size(), 5U);
  EXPECT_LE(text.size(), 100U);
  EXPECT_EQ(text.find('\n'), std::string_view::npos);
  EXPECT_NE(text.back(), '.');
  EXPECT_TRUE(text.front() != ' ' && text.back() != ' ');
}

TEST_P(EveryPrimitive, HasASchemeThatParses) {
  const Primitive& row = primitive(GetParam());
  const Scheme& scheme = scheme_of(GetParam());
  EXPECT_TRUE(row.scheme.starts_with(std::string(row.name) + "("));
  ASSERT_FALSE(scheme.arguments.empty());
  EXPECT_EQ(scheme.arguments.size(), scheme.data.size());
  EXPECT_EQ(scheme.arguments.size(), scheme.functions.size());
  EXPECT_EQ(scheme.result.size(), 1U);
  std::set<std::string> names;
  for (const SchemeArgument& argument : scheme.arguments) {
    EXPECT_TRUE(names.insert(argument.name).second) << argument.name << " names two arguments";
    EXPECT_TRUE(!argument.is_static() || argument.name.size() == 1) << "sizes have one letter";
  }
}

TEST_P(EveryPrimitive, TakesSizesThenFunctionsThenDataLast) {
  const Scheme& scheme = scheme_of(GetParam());
  const auto rank = [](const SchemeArgument& argument) {
    return argument.is_static() ? 0 : argument.kind == ArgumentKind::Function ? 1 : 2;
  };
  if (GetParam() == Op::IterateWhile)
    GTEST_SKIP() << "a number that may be computed stands where iterate's size does";
  EXPECT_TRUE(std::is_sorted(scheme.arguments.begin(), scheme.arguments.end(),
                             [&](const auto& a, const auto& b) { return rank(a) < rank(b); }));
  if (GetParam() != Op::Generate) {
    EXPECT_EQ(scheme.arguments.back().kind, ArgumentKind::Data) << "pipelines put data last";
  }
}

/// Letters that a size pattern mentions.
void collect(const SizePattern& pattern, std::set<char>& letters) {
  if (pattern.kind == SizePattern::Kind::Letter) letters.insert(pattern.letter);
  for (const SizePattern& operand : pattern.operands) collect(operand, letters);
}
void collect(const TypePattern& pattern, std::set<char>& sizes, std::set<char>& types) {
  if (pattern.letter != 0) types.insert(pattern.letter);
  for (const SizePattern& size : pattern.size) collect(size, sizes);
  for (const TypePattern& element : pattern.elements) collect(element, sizes, types);
}

TEST_P(EveryPrimitive, MentionsInItsResultOnlyWhatItsArgumentsBind) {
  const Scheme& scheme = scheme_of(GetParam());
  if (scheme.is_special) GTEST_SKIP() << "typed by code: its scheme is documentation";
  std::set<char> sizes, types;
  for (std::size_t i = 0; i < scheme.arguments.size(); ++i) {
    if (scheme.arguments[i].is_static()) sizes.insert(scheme.arguments[i].name.at(0));
    if (scheme.arguments[i].kind == ArgumentKind::Data) collect(scheme.data[i], sizes, types);
    if (scheme.arguments[i].kind != ArgumentKind::Function) continue;
    ASSERT_EQ(scheme.functions[i].result.size(), 1U);
    EXPECT_FALSE(scheme.functions[i].parameters.empty());
    collect(scheme.functions[i].result[0], sizes, types);
  }
  std::set<char> used_sizes, used_types;
  collect(scheme.result[0], used_sizes, used_types);
  for (const Condition& condition : scheme.conditions) {
    collect(condition.left, used_sizes);
    collect(condition.right, used_sizes);
  }
  EXPECT_TRUE(std::includes(sizes.begin(), sizes.end(), used_sizes.begin(), used_sizes.end()));
  EXPECT_TRUE(std::includes(types.begin(), types.end(), used_types.begin(), used_types.end()));
}

INSTANTIATE_TEST_SUITE_P(Table, EveryPrimitive, testing::ValuesIn(all_ops()),
                         [](const auto& test) { return std::string(primitive(test.param).name); });

TEST(Primitives, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Primitive& row : all_primitives()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  EXPECT_EQ(primitive_named("redcue"), std::nullopt);
  EXPECT_EQ(primitive_named(""), std::nullopt);
}

TEST(Primitives, HaveTheConditionsOfTheirSchemes) {
  const auto count = [](Op op) { return scheme_of(op).conditions.size(); };
  for (const Primitive& row : all_primitives()) {
    std::size_t written = row.scheme.find(" where ") != std::string_view::npos ? 1 : 0;
    for (std::size_t at = 0; (at = row.scheme.find(" and ", at)) != std::string_view::npos; ++at) ++written;
    EXPECT_EQ(count(row.op), written) << row.scheme;
  }
  EXPECT_EQ(count(Op::Slide), 3U);
  EXPECT_EQ(count(Op::Iterate), 1U);
}

template <class Predicate>
std::string named(Predicate&& is_in_group) {
  std::string text;
  for (const Primitive& row : all_primitives()) {
    if (is_in_group(row.op)) text += (text.empty() ? "" : " ") + std::string(row.name);
  }
  return text;
}

std::string having(Trait trait) {
  return named([trait](Op op) { return has_any(op, trait); });
}

std::string shared_by(Sharing who) {
  return named([who](Op op) { return sharing(op) == who; });
}

TEST(Primitives, AreGroupedByPredicates) {
  EXPECT_EQ(named(is_map), "map mapGlb mapWrg mapLcl mapSeq mapSeqUnroll prefetch");
  EXPECT_EQ(named(is_parallel_map), "mapGlb mapWrg mapLcl");
  EXPECT_EQ(named(is_reduce), "reduce reduceRange reduceSeq reduceSeqUnroll reduceLcl");
  EXPECT_EQ(named(is_scan), "scan scanSeq");
  EXPECT_EQ(named(is_keyed_reduce), "reduceByKey reduceByKeySeq reduceByKeyLcl reduceByKeyGlb");
  EXPECT_EQ(named(is_iterate), "iterate iterateWhile");
  EXPECT_EQ(named(is_address_space), "toGlobal toLocal toPrivate");
  EXPECT_EQ(named(is_view), named(is_layout) + " asVector asScalar");
  EXPECT_EQ(
      named(carries_state),
      "reduce reduceRange scan reduceByKey iterate iterateWhile reduceSeq reduceSeqUnroll reduceLcl scanSeq "
      "reduceByKeySeq reduceByKeyLcl reduceByKeyGlb");
}

TEST(Primitives, HaveTraits) {
  EXPECT_EQ(having(Trait::Permutation), "zip unzip split join transpose rotate");
  EXPECT_EQ(having(Trait::IndexFunction), "gather scatter");
  EXPECT_EQ(having(Trait::Whole),
            named([](Op op) { return carries_state(op) || op == Op::Scatter || op == Op::MapSeqSlide; }));
  EXPECT_EQ(having(Trait::ConstantLength), "mapLcl mapSeqSlide toLocal toPrivate");
  EXPECT_EQ(having(Trait::VectorWidth), "asVector broadcast");
  EXPECT_EQ(having(Trait::CallForm), "generate zip at concat broadcast dot");
}

TEST(Primitives, AreSharedByWorkItems) {
  EXPECT_EQ(shared_by(Sharing::WorkItems), "mapGlb reduceByKeyGlb");
  EXPECT_EQ(shared_by(Sharing::Groups), "mapWrg");
  EXPECT_EQ(shared_by(Sharing::ItemsOfGroup), "mapLcl reduceLcl reduceByKeyLcl");
}

TEST_P(EveryPrimitive, TakesADimensionWhereItsElementsAreShared) {
  const auto& arguments = scheme_of(GetParam()).arguments;
  const bool has_dimension = std::any_of(arguments.begin(), arguments.end(), [](const SchemeArgument& each) {
    return each.kind == ArgumentKind::Dimension;
  });
  EXPECT_EQ(has_dimension, sharing(GetParam()) != Sharing::Nobody);
}

}  // namespace
}  // namespace hoist::ir
