// Texts of specifications: what they mean, and where their faults are.
#include <gmock/gmock.h>

#include "search/shipped_specifications.hpp"
#include "search/specification/binding.hpp"
#include "search/specification/syntax.hpp"
#include "unit/search/made_up_space.hpp"

namespace hoist::search::specification {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string printed(const std::string& text) {
  const Source source{"s.spec", text};
  const auto parsed = parse(source);
  return parsed ? to_string(*parsed) : parsed.error().render(&source);
}

/// "1:7: message" of each fault in a text, when it is read or bound to a and b.
std::vector<std::string> faults(const std::string& text, const Context& context = {{{"N", 8}}, {}}) {
  const Source source{"s.spec", text};
  const MadeUpSpace space = products_up_to_eight();
  const auto parsed = parse(source);
  const auto bound = parsed ? bind(*parsed, space, context) : parsed;
  std::vector<std::string> all;
  if (bound) return all;
  for (const Diagnostic& each : bound.error().diagnostics) {
    std::string text_of;
    if (each.span) {
      const Position position = position_of(source, each.span->begin);
      text_of = fmt::format("{}:{}: ", position.line, position.column);
    }
    all.push_back(text_of + each.message);
  }
  return all;
}

TEST(SpecificationText, StepsAssignmentsAndRanges) {
  EXPECT_EQ(printed("a=1,b=2"), "a=1, b=2;\n");
  EXPECT_EQ(printed("a=1:64:*2; b = 1 : 8 : +3 ;"), "a=1:64:*2;\nb=1:8:+3;\n");
  EXPECT_EQ(printed("a=1:N/b:*2;"), "a=1:N / b:*2;\n");
  EXPECT_EQ(printed("\xEF\xBB\xBF"
                    "// first\na=1; // second\r\n//third"),
            "a=1;\n");
  EXPECT_EQ(printed("a=sample(3, 1:N:*2);\nsample(1000);\nsample(5), a=1:N:*2;"),
            "a=sample(3, 1:N:*2);\nsample(1000);\nsample(5), a=1:N:*2;\n");
}

TEST(SpecificationText, Expressions) {
  EXPECT_EQ(printed("a=1+2*3-4;"), "a=1 + 2 * 3 - 4;\n");
  EXPECT_EQ(printed("a=8/4/2, b=7%4*2;"), "a=8 / 4 / 2, b=7 % 4 * 2;\n");
  EXPECT_EQ(printed("a=-(-b);"), "a=--b;\n");
  EXPECT_EQ(printed("a=best.b*best.a/b;"), "a=best.b * best.a / b;\n");
  EXPECT_EQ(printed("a=min(1, max(2, b));"), "a=min(1, max(2, b));\n");
  EXPECT_EQ(printed("a=1:N:*2, a*b == best.a, a <= 4;"), "a=1:N:*2, a * b == best.a, a <= 4;\n");
  EXPECT_EQ(printed("a=1 + 1 == 2;"), "a=1 + 1 == 2;\n");
  EXPECT_EQ(printed("a=8-(4-2), b=8/(4*2)*(1+1);"), "a=8 - (4 - 2), b=8 / (4 * 2) * (1 + 1);\n");
  EXPECT_EQ(printed("a=-(1+b) - -b, b=(a<b)==(1<2);"), "a=-(1 + b) - -b, b=(a < b) == (1 < 2);\n");
  EXPECT_EQ(printed("t.1=2, way=best.t.1;"), "t.1=2, way=best.t.1;\n");
}

TEST(SpecificationText, SettingsAndRepetitions) {
  EXPECT_EQ(printed("set n = 2; set how = fast | slow; repeat n { a=1; repeat 2 { b=1; } } a=2"),
            "set n = 2;\nset how = fast | slow;\nrepeat n {\n  a=1;\n  repeat 2 {\n    b=1;\n  }\n}\na=2;\n");
}

TEST(SpecificationText, NoWordIsReserved) {
  EXPECT_EQ(printed("set=1, repeat=2, best=3, sample=4, min=5, max=6;"),
            "set=1, repeat=2, best=3, sample=4, min=5, max=6;\n");
  EXPECT_EQ(printed("a=best.best, b=min + max*best;"), "a=best.best, b=min + max * best;\n");
}

TEST(SpecificationText, TheFileThatThePaperPrints) {
  EXPECT_EQ(printed("BX=1,BY=1,BZ=1,WY=1,WZ=1,CY=1,CZ=1,USE_LOCAL_MEMORY_INPUT=1,VX=1,\n"
                    "STORE_ARRAYS_AS_IMAGES=0,WX=1:NX:*2,CX=1:NX/WX:*2;\n"
                    "WY=1:NY:*2, CY=1:NY/WY:*2;\n"
                    "WZ=1:NZ:*2, CZ=1:NZ/WZ:*2;\n"
                    "WX=1:NX:*2, CX=1:NX/WX:*2;\n"
                    "WY=1:NY:*2, CY=1:NY/WY:*2;\n"
                    "WZ=1:NZ:*2, CZ=1:NZ/WZ:*2;\n"),
            "BX=1, BY=1, BZ=1, WY=1, WZ=1, CY=1, CZ=1, USE_LOCAL_MEMORY_INPUT=1, VX=1, "
            "STORE_ARRAYS_AS_IMAGES=0, WX=1:NX:*2, CX=1:NX / WX:*2;\n"
            "WY=1:NY:*2, CY=1:NY / WY:*2;\nWZ=1:NZ:*2, CZ=1:NZ / WZ:*2;\n"
            "WX=1:NX:*2, CX=1:NX / WX:*2;\nWY=1:NY:*2, CY=1:NY / WY:*2;\n"
            "WZ=1:NZ:*2, CZ=1:NZ / WZ:*2;\n");
}

TEST(SpecificationText, WhatShipsReadsBackAsItIsPrinted) {
  std::vector<std::string> names;
  for (const ShippedSpecification& each : shipped_specifications()) {
    names.emplace_back(each.name);
    const Source source{names.back(), std::string(each.text)};
    const auto parsed = parse(source);
    ASSERT_TRUE(parsed) << parsed.error().render(&source);
    EXPECT_EQ(printed(to_string(*parsed)), to_string(*parsed));
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("dimensions", "optimisations", "hybrid",
                                                   "hybrid-restricted", "hybrid-variable", "expert", "rand"));
}

TEST(SpecificationText, FaultsOfGrammarHaveTheirPlaces) {
  EXPECT_THAT(faults(""), ElementsAre("1:1: the specification has no step"));
  EXPECT_THAT(faults("// nothing\n"), ElementsAre("2:1: the specification has no step"));
  EXPECT_THAT(faults("a=1 b=2;"), ElementsAre("1:5: ',' or ';' is expected, not 'b'"));
  EXPECT_THAT(faults("a=;"), ElementsAre("1:3: a value is expected, not ';'"));
  EXPECT_THAT(faults("a=1:2;"), ElementsAre("1:6: ':' is expected before the step of a range, not ';'"));
  EXPECT_THAT(faults("a=1:2:2;"),
              ElementsAre("1:7: '*' or '+' is expected before the step's number, not '2'"));
  EXPECT_THAT(faults("a;"), ElementsAre("1:1: '=' is expected after 'a', not ';'"));
  EXPECT_THAT(faults("a=1, b=1, (a);"),
              ElementsAre("1:12: this is no condition: a condition compares values"));
  EXPECT_THAT(faults("a=1, b=1, 3;"), ElementsAre("1:11: this is no condition: a condition compares values"));
  EXPECT_THAT(faults("a<4;"), ElementsAre("1:1: the step gives no parameter a value"));
  EXPECT_THAT(faults("a=1, b=2, a < b < 3;"), ElementsAre("1:17: comparisons are not chained"));
  EXPECT_THAT(faults("a=(1;"), ElementsAre("1:5: ')' is expected to close the parenthesis, not ';'"));
  EXPECT_THAT(faults("a=$, b=1;"), ElementsAre("1:3: a value is expected, not '$'"));
  EXPECT_THAT(faults("a=99999999999999999999, b=1;"),
              ElementsAre("1:3: the number is too large: it has more than 63 bits"));
  EXPECT_THAT(faults("repeat 2 { a=1;"), ElementsAre("1:1: the '}' that ends this repetition is missing"));
  EXPECT_THAT(faults("repeat 2 { }"), ElementsAre("1:1: the repetition has no step"));
  EXPECT_THAT(faults("a=1, b=1; set n = 2;"), ElementsAre("1:11: a setting comes after steps"));
  EXPECT_THAT(faults("set w = x | x; a=1, b=1;"), ElementsAre("1:13: the setting has the word 'x' twice"));
  EXPECT_THAT(faults("a=1, b=1; }"), ElementsAre("1:11: a value is expected, not '}'"));
  EXPECT_THAT(faults("a=1 2;\nb=;\n"),
              ElementsAre("1:5: ',' or ';' is expected, not '2'", "2:3: a value is expected, not ';'"))
      << "all are told";
}

TEST(SpecificationText, WhatIsNestedWithoutEndIsRefused) {
  EXPECT_THAT(faults("a=" + std::string(100'000, '(')),
              ElementsAre(HasSubstr("this is nested more than 100 deep")));
  EXPECT_THAT(faults("a=" + std::string(100'000, '-') + "1"),
              ElementsAre(HasSubstr("this is nested more than 100 deep")));
  std::string sum = "a=1";
  for (int i = 0; i < 100'000; ++i) sum += "+1";
  EXPECT_THAT(faults(sum), ElementsAre(HasSubstr("the expression has more than 1000 operations")));
  std::string repeats;
  for (int i = 0; i < 1000; ++i) repeats += "repeat 1 {";
  EXPECT_THAT(faults(repeats).front(), HasSubstr("nested more than 100 deep"));
}

TEST(SpecificationNames, WhatTheyMeanMustBeKnown) {
  EXPECT_THAT(faults("a=1, B=1;"), ElementsAre("1:6: the space has no parameter 'B'; did you mean 'b'?",
                                               "1:1: the first step gives no value to b"));
  EXPECT_THAT(faults("a=1:M:*2, b=1;"), ElementsAre("1:5: nothing has the name 'M'"));
  EXPECT_THAT(faults("a=1, b=1; a=best.c;"), ElementsAre("1:13: the space has no parameter 'c'"));
  EXPECT_THAT(faults("a=1;"), ElementsAre("1:1: the first step gives no value to b"));
  EXPECT_THAT(faults("a=1:N/b:*2, b=1;"),
              ElementsAre("1:7: b has no value here: the step gives it one later"));
  EXPECT_THAT(faults("a=b;"),
              ElementsAre("1:3: b has no value yet", "1:1: the first step gives no value to b"));
  EXPECT_THAT(faults("a=best.b, b=1;"), ElementsAre("1:3: there is no best configuration yet"));
  EXPECT_THAT(faults("a=1, a=2, b=1;"), ElementsAre("1:6: the step gives a values twice"));
  EXPECT_THAT(faults("a=1, b=1; a=b, b=best.a;"),
              ElementsAre("1:13: b has no value here: the step gives it one later"));
  EXPECT_THAT(faults("a=1, b=a; a=b;"), ElementsAre());
  EXPECT_THAT(faults("repeat 0 { a=1, b=1; } a=best.b, b=1;"),
              ElementsAre("1:26: there is no best configuration yet"));
}

TEST(SpecificationNames, ValuesRangesAndCountsAreLookedAtBeforeAnythingIsTried) {
  EXPECT_THAT(faults("a=3, b=1;"), ElementsAre("1:3: 3 is no value of a"));
  EXPECT_THAT(faults("a=N/3*2 - 1, b=1;"), ElementsAre("1:3: 3 is no value of a"));
  EXPECT_THAT(faults("a=N:4:*2, b=1;"), ElementsAre("1:3: the range is empty: 8 is more than 4"));
  EXPECT_THAT(faults("a=1:N:*1, b=1;"), ElementsAre("1:8: a step of *1 never comes to the range's end"));
  EXPECT_THAT(faults("a=1:N:*0, b=1;"), ElementsAre("1:8: a step of *0 never comes to the range's end"));
  EXPECT_THAT(faults("a=1:N:+0, b=1;"), ElementsAre("1:8: a step of +0 never comes to the range's end"));
  EXPECT_THAT(faults("a=1:N:+-1, b=1;"), ElementsAre("1:8: a step of +-1 never comes to the range's end"));
  EXPECT_THAT(faults("a=0:N:*2, b=1;"), ElementsAre("1:3: multiplying 0 never comes to the range's end"));
  EXPECT_THAT(faults("b=1, a=b:N:*1;"), ElementsAre("1:13: a step of *1 never comes to the range's end"))
      << "whatever b is";
  EXPECT_THAT(faults("a=N/(8 - N), b=1;"), ElementsAre("1:6: a division by zero"));
  EXPECT_THAT(faults("a=N%0, b=1;"), ElementsAre("1:5: a remainder by zero"));
  EXPECT_THAT(faults("a=9223372036854775807 + 1, b=1;"),
              ElementsAre("1:3: the result has more than 64 bits"));
  EXPECT_THAT(faults("a=(-9223372036854775807 - 1)/-1, b=1;"),
              ElementsAre("1:4: the result has more than 64 bits"));
  EXPECT_THAT(faults("a=sample(0, 1:N:*2), b=1;"), ElementsAre("1:10: 0 is no number of samples"));
  EXPECT_THAT(faults("repeat 1001 { a=1, b=1; }"),
              ElementsAre("1:8: 1001 is no number of repetitions: 0 to 1000 are"));
  EXPECT_THAT(faults("a=1, b=1; repeat best.a { a=2; }"),
              ElementsAre("1:18: the number of repetitions may not depend on parameters"));
}

TEST(SpecificationNames, Settings) {
  const auto with = [](std::vector<std::pair<std::string, std::string>> settings) {
    return Context{{{"N", 8}}, std::move(settings)};
  };
  const std::string text = "set n = N/4; set how = slow | fast;\na=n, b=1 + (how == fast);";
  EXPECT_THAT(faults(text), ElementsAre());
  EXPECT_THAT(faults(text, with({{"n", "4"}, {"how", "fast"}})), ElementsAre());
  EXPECT_THAT(faults(text, with({{"n", "3"}})), ElementsAre("2:3: 3 is no value of a"));
  EXPECT_THAT(faults(text, with({{"n", "two"}})), ElementsAre("n=two is no number"));
  EXPECT_THAT(faults(text, with({{"how", "fat"}})), ElementsAre("how cannot be 'fat'; did you mean 'fast'?"));
  EXPECT_THAT(faults(text, with({{"hou", "fast"}})),
              ElementsAre("the specification has no setting 'hou'; did you mean 'how'?"));
  EXPECT_THAT(faults("set a = 1; a=1, b=1;"), ElementsAre("1:5: 'a' is the name of a parameter"));
  EXPECT_THAT(faults("set N = 1; a=1, b=1;"), ElementsAre("1:5: 'N' is the name of a size"));
  EXPECT_THAT(faults("set n = 1; set n = 2; a=1, b=1;"), ElementsAre("1:16: 'n' is there twice"));
  EXPECT_THAT(faults("set p = x | y; set q = y | x; a=1, b=1;"), ElementsAre("1:20: 'y' means two things"));
  EXPECT_THAT(faults("a=1, b=1;", Context{{{"a", 8}}, {}}), ElementsAre("a is a size and a parameter"));
}

}  // namespace
}  // namespace hoist::search::specification
