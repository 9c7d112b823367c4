// Every kind of fault that the interpreter finds, and that it finds none where there is none.
#include "programs.hpp"

namespace hoist::loop {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// At least one fault, and each is so.
template <class Matcher>
auto AllAre(Matcher matcher) {
  return testing::AllOf(testing::Not(testing::IsEmpty()), testing::Each(matcher));
}

class Fault : public testing::Test {
 protected:
  /// Runs a kernel with two groups of four work-items on A (8 elements, read) and C (8 elements, written).
  /// C is set at the end, so that what the body leaves out is no fault.
  std::vector<std::string> faults(const std::string& body,
                                  const std::string& launch = "global [8, 1, 1] local [4, 1, 1]") {
    const std::string text =
        "plan p { input A: global i32[8]; input n: i32; output C: global i32[8]; temporary T: global i32[8];"
        "kernel k(read A: global i32[8], scalar n: i32, write T: global i32[8]) launch " +
        launch + " index i32 {" + body + "} steps { launch k; copy A to C; } }";
    Trial trial;
    trial.input("A", std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
    trial.scalar("n", ScalarValue::of_integer(Scalar::I32, 0));
    trial.execute_unchecked(parsed(text));
    return trial.report.faults;
  }
  static std::string in_local(const std::string& body) {
    return "allocate t: local i32[8]; for g in group(0) [0, 2) step 1 : exactly_once {"
           "for l in local(0) [0, 4) step 1 : exactly_once {" +
           body + "} }";
  }

 private:
  arith::Arena arena_;
};

TEST_F(Fault, RacesInLocalMemory) {
  EXPECT_THAT(faults(in_local("t[0] = index_i32(l);")), Not(IsEmpty())) << "written by several";
  EXPECT_THAT(faults(in_local("t[0] = 1;")), Not(IsEmpty())) << "the same value is a race as well";
  EXPECT_THAT(faults(in_local("t[l] = 1; let x: i32 = t[(l + 1) % 4];")), AllAre(StartsWith("race: ")));
  EXPECT_THAT(faults(in_local("t[l] = 1; barrier(local); let x: i32 = t[(l + 1) % 4];")), IsEmpty());
  EXPECT_THAT(faults(in_local("t[l] = 1; barrier(global); let x: i32 = t[(l + 1) % 4];")), Not(IsEmpty()))
      << "a barrier for global memory does not order local memory";
  EXPECT_THAT(faults(in_local("t[l] = 1; barrier(local); let x: i32 = t[0]; barrier(local); t[l] = x;")),
              IsEmpty());
  EXPECT_THAT(faults(in_local("t[l] = 1; barrier(local); let x: i32 = t[0]; t[l] = x;")),
              AllAre(HasSubstr("t[0]")))
      << "read by others before it is written again";
  EXPECT_THAT(faults(in_local("t[l] = 1; let x: i32 = t[l]; t[l] = x;")), IsEmpty()) << "one's own";
}

TEST_F(Fault, AsynchronousStoresThatNobodyWaitsFor) {
  const auto neighbour = [](const std::string& before, const std::string& after) {
    return in_local("async t[l] = A[l]; commit; " + before + "barrier(local); let x: i32 = t[3 - l]; " +
                    after + "T[4 * g + l] = x;");
  };
  EXPECT_THAT(faults(neighbour("await(0); ", "")), IsEmpty());
  EXPECT_THAT(faults(neighbour("", "await(0); ")), Not(IsEmpty())) << "it is done while others read";
  EXPECT_THAT(faults(neighbour("commit; await(1); ", "")), IsEmpty()) << "a later group need not be done";
}

TEST_F(Fault, RacesNameBothWorkItems) {
  const std::vector<std::string> found = faults(in_local(
      "t[l] = 1; barrier(local); if (test(l == 0)) { let x: i32 = t[2]; } if (test(l == 2)) { t[2] = 3; }"));
  EXPECT_THAT(
      found,
      ElementsAre("race: work-item (2, 0, 0) of group (0, 0, 0) writes t[2] and work-item (0, 0, 0) of "
                  "group (0, 0, 0) reads it, with no barrier between",
                  "race: work-item (2, 0, 0) of group (1, 0, 0) writes t[2] and work-item (0, 0, 0) of "
                  "group (1, 0, 0) reads it, with no barrier between"));
}

TEST_F(Fault, ReadersAreRememberedWhoeverComesLast) {
  // Work-item 0 reads after others did, then writes: the others' reads are what it races with.
  EXPECT_THAT(
      faults(in_local(
          "t[l] = 1; barrier(local);"
          "if (test(l == 3)) { let x: i32 = t[0]; } if (test(l == 0)) { let y: i32 = t[0]; t[0] = y; }")),
      AllAre(HasSubstr("work-item (3, 0, 0)")));
  EXPECT_THAT(
      faults(in_local("t[l] = 1; barrier(local);"
                      "if (test(l == 0)) { let x: i32 = t[0]; } if (test(l == 3)) { let z: i32 = t[0]; }"
                      "if (test(l == 0)) { t[0] = 5; }")),
      AllAre(HasSubstr("work-item (3, 0, 0)")));
}

TEST_F(Fault, LocalMemoryOfGroupsIsTheirOwn) {
  EXPECT_THAT(faults(in_local("t[l] = index_i32(g); barrier(local); let x: i32 = t[3 - l];")), IsEmpty());
}

TEST_F(Fault, RacesInGlobalMemoryOfOneGroup) {
  EXPECT_THAT(faults(in_local("T[4*g + l] = 1; let x: i32 = T[4*g + (l + 1) % 4];")),
              AllAre(StartsWith("race: ")));
  EXPECT_THAT(faults(in_local("T[4*g + l] = 1; barrier(local); let x: i32 = T[4*g + (l + 1) % 4];")),
              AllAre(StartsWith("race: ")))
      << "a barrier for local memory does not order global memory";
  EXPECT_THAT(faults(in_local("T[4*g + l] = 1; barrier(global); let x: i32 = T[4*g + (l + 1) % 4];")),
              IsEmpty());
}

TEST_F(Fault, RacesBetweenGroups) {
  EXPECT_THAT(faults(in_local("T[l] = 1;")), AllAre(HasSubstr("in the same launch"))) << "both write";
  EXPECT_THAT(faults(in_local("if (test(g == 0)) { T[l] = 1; } barrier(local, global);"
                              "if (test(g == 1)) { let x: i32 = T[l]; }")),
              AllAre(AllOf(HasSubstr("reads T["), HasSubstr("in the same launch"))))
      << "no barrier orders groups";
  EXPECT_THAT(
      faults(in_local("T[4*g + l] = 1; if (test(g == 0)) { let x: i32 = T[4*g + l]; } barrier(global);"
                      "if (test(g == 1)) { T[l] = 1; }")),
      AllAre(HasSubstr("in the same launch")));
  EXPECT_THAT(faults(in_local("let x: i32 = A[l];")), IsEmpty()) << "all may read";
}

TEST_F(Fault, AtomicUpdatesDoNotRaceWithOneAnother) {
  const auto local = [](const std::string& body) {
    return "if (test(l == 0)) { t[0] = 7; } barrier(local); " + body;
  };
  EXPECT_THAT(faults(in_local(local("atomic(add) t[0] = 1;"))), IsEmpty());
  EXPECT_THAT(faults(in_local(local("atomic(add) t[0] = 1; atomic(add) t[0] = 2;"))), IsEmpty());
  EXPECT_THAT(faults(in_local(local("atomic(add) t[0] = 1; barrier(local); let x: i32 = t[0];"))), IsEmpty());
  EXPECT_THAT(faults(in_local(local("atomic(add) t[0] = 1; let x: i32 = t[0];"))),
              AllAre(HasSubstr("reads t[0]")));
  EXPECT_THAT(faults(in_local(local("let x: i32 = t[0]; atomic(add) t[0] = 1;"))),
              AllAre(HasSubstr("updates t[0]")));
  EXPECT_THAT(faults(in_local(local("if (test(l == 1)) { t[0] = 1; } atomic(add) t[0] = 1;"))),
              AllAre(HasSubstr("updates t[0]")));
  EXPECT_THAT(faults(in_local(local("atomic(add) t[0] = 1; atomic(max) t[0] = 1;"))), Not(IsEmpty()))
      << "which comes first matters";
  EXPECT_THAT(faults(in_local("atomic(add) t[l] = 1;")), AllAre(HasSubstr("which nothing has written")));
}

TEST_F(Fault, UpdatersAreRememberedWhoeverComesLast) {
  // Work-item 3 updates, then work-item 0, which then reads.
  EXPECT_THAT(faults(in_local("t[l] = 1; barrier(local); if (test(l == 3)) { atomic(add) t[0] = 1; }"
                              "if (test(l == 0)) { atomic(add) t[0] = 1; let x: i32 = t[0]; }")),
              AllAre(HasSubstr("work-item (3, 0, 0)")));
}

TEST_F(Fault, AtomicUpdatesOfSeveralGroups) {
  const auto text = [](const std::string& body) {
    return "plan p { output C: global i32[1]; "
           "kernel fill(write C: global i32[1]) launch global [1, 1, 1] local [1, 1, 1] index i32 { C[0] = "
           "1; }"
           "kernel k(write C: global i32[1]) launch global [2, 1, 1] local [1, 1, 1] index i32 {"
           "  for g in group(0) [0, 2) step 1 : exactly_once { " +
           body + " } } steps { launch fill; launch k; } }";
  };
  Trial updates, reads;
  updates.execute(parsed(text("atomic(add) C[0] = 2;")));
  EXPECT_THAT(updates.report.faults, IsEmpty());
  EXPECT_THAT(updates.output<std::int32_t>("C"), ElementsAre(5));
  reads.execute_unchecked(parsed(text("atomic(add) C[0] = 2; barrier(global); let x: i32 = C[0];")));
  EXPECT_THAT(reads.report.faults, AllAre(HasSubstr("in the same launch")));
}

TEST_F(Fault, EarlierGroupsReadsAreRemembered) {
  // Group 0 reads, group 1 reads in a first interval and writes in a second.
  EXPECT_THAT(faults("T[0] = 1; ", "global [1, 1, 1] local [1, 1, 1]"), IsEmpty());
  const std::string text =
      "plan p { output C: global i32[1]; "
      "kernel fill(write C: global i32[1]) launch global [1, 1, 1] local [1, 1, 1] index i32 { C[0] = 1; }"
      "kernel k(write C: global i32[1]) launch global [2, 1, 1] local [1, 1, 1] index i32 {"
      "  for g in group(0) [0, 2) step 1 : exactly_once { let x: i32 = C[0]; barrier(global); "
      "  if (test(g == 1)) { C[0] = x; } } }"
      "steps { launch fill; launch k; } }";
  Trial trial;
  trial.execute_unchecked(parsed(text));
  EXPECT_THAT(trial.report.faults,
              ElementsAre(AllOf(HasSubstr("work-item (0, 0, 0) of group (1, 0, 0) writes C[0]"),
                                HasSubstr("group (0, 0, 0) reads it, in the same launch"))));
}

TEST_F(Fault, DivergentBarriers) {
  EXPECT_THAT(
      faults(in_local("if (test(l < 2)) { barrier(local); }")),
      ElementsAre("divergent barrier: 2 of 4 work-items are at a barrier; work-item (2, 0, 0) of group "
                  "(0, 0, 0) is not",
                  "divergent barrier: 2 of 4 work-items are at a barrier; work-item (2, 0, 0) of group "
                  "(1, 0, 0) is not"));
  EXPECT_THAT(faults(in_local("for i in sequential [0, l + 1) step 1 { barrier(local); }")),
              AllAre(StartsWith("divergent barrier: ")));
  EXPECT_THAT(faults(in_local("for i in sequential [0, g + 1) step 1 { barrier(local); }")), IsEmpty());
}

TEST_F(Fault, DivergentShuffles) {
  const std::string two_warps = "global [64, 1, 1] local [64, 1, 1]";
  const auto around = [](const std::string& inside) {
    return "for l in local(0) [0, 64) step 1 : exactly_once { let own: i32 = index_i32(l); " + inside + " }";
  };
  EXPECT_THAT(faults(around("let other: i32 = shuffle(own, 8);"), two_warps), IsEmpty());
  EXPECT_THAT(faults("for l in local(0) [0, 4) step 1 : exactly_once { let own: i32 = 1; let other: i32 = "
                     "shuffle(own, 8); }"),
              AllAre(StartsWith("divergent shuffle: 4 of 32 work-items of a warp are at a shuffle")));
  EXPECT_THAT(faults(around("if (test(l < 32)) { let other: i32 = shuffle(own, 8); }"), two_warps),
              IsEmpty());
  EXPECT_THAT(
      faults(around("if (test(l < 40)) { let other: i32 = shuffle(own, 8); }"), two_warps),
      ElementsAre("divergent shuffle: 8 of 32 work-items of a warp are at a shuffle, among them work-item "
                  "(32, 0, 0) of group (0, 0, 0)"));
}

TEST_F(Fault, OutOfBounds) {
  EXPECT_THAT(
      faults(in_local("let x: i32 = A[l + 4*g + 1];")),
      ElementsAre("out of bounds: work-item (3, 0, 0) of group (1, 0, 0) reads A[8], of 8 (4*g + l + 1)"));
  EXPECT_THAT(faults(in_local("t[l - 1] = 1;")), AllAre(HasSubstr("writes t[-1], of 8 (l - 1)")));
  EXPECT_THAT(faults(in_local("let v: i32x4 = A[l + 4*g +: 4];")),
              AllAre(AllOf(StartsWith("out of bounds"), HasSubstr("and 3 more"))));
  EXPECT_THAT(faults(in_local("let x: i32 = select(test(l + 4*g < 7), A[l + 4*g + 1], 0);")), IsEmpty());
}

TEST_F(Fault, OutOfBoundsLoadsGiveZeroAndStoresAreDropped) {
  const Plan plan = parsed(one_kernel(
      "input A: global i32[1]; output C: global i32[2];", "read A: global i32[1], write C: global i32[2]",
      "global [1, 1, 1] local [1, 1, 1]", "C[0] = A[0] + A[1]; C[1] = 9; C[2] = 7; C[-1] = 7;"));
  Trial trial;
  trial.input("A", std::vector<std::int32_t>{5}).execute(plan);
  EXPECT_THAT(trial.output<std::int32_t>("C"), ElementsAre(5, 9));
  EXPECT_THAT(trial.report.faults, testing::SizeIs(3));
}

TEST_F(Fault, UnsetMemory) {
  EXPECT_THAT(faults(in_local("let x: i32 = t[l];")), AllAre(StartsWith("unset: ")));
  EXPECT_THAT(faults(in_local("allocate p: private i32[2]; p[0] = 1; let x: i32 = p[0];")), IsEmpty());
  EXPECT_THAT(faults(in_local("allocate p: private i32[2]; p[0] = 1; let x: i32 = p[1];")),
              AllAre(HasSubstr("reads p[1], which nothing has written")));
  EXPECT_THAT(faults(in_local("let x: i32 = T[4*g + l];")), AllAre(HasSubstr("reads T[")));
  EXPECT_THAT(faults(in_local("var v: i32; let x: i32 = v;")),
              AllAre(HasSubstr("reads variable v, which is not set")));
  EXPECT_THAT(faults(in_local("var v: i32; v = 2; let x: i32 = v;")), IsEmpty());
}

TEST_F(Fault, MemoryIsUnsetAgainWhereItIsDeclaredAgain) {
  EXPECT_THAT(faults("for i in sequential [0, 2) step 1 { allocate p: private i32[1];"
                     "  if (test(i == 0)) { p[0] = 1; } let x: i32 = p[0]; }"),
              AllAre(StartsWith("unset: ")));
  EXPECT_THAT(faults("for i in sequential [0, 2) step 1 { var v: i32;"
                     "  if (test(i == 0)) { v = 1; } let x: i32 = v; }"),
              AllAre(StartsWith("unset: ")));
}

TEST_F(Fault, OutputsThatAreNotWritten) {
  const Plan plan = parsed(one_kernel("output C: global i32[4];", "write C: global i32[4]",
                                      "global [1, 1, 1] local [1, 1, 1]", "C[0] = 1; C[2] = 1;"));
  Trial trial;
  trial.execute(plan);
  EXPECT_THAT(trial.report.faults, ElementsAre("unset: 2 of the 4 scalars of output C are never written"));
}

TEST_F(Fault, FormsOfLoopsThatDoNotHold) {
  const auto with_stop = [](const std::string& kind, const std::string& stop, const std::string& form) {
    return "for i in " + kind + " [0, " + stop + ") step 1 : " + form + " {}";
  };
  EXPECT_THAT(faults(with_stop("local(0)", "4", "exactly_once")), IsEmpty());
  EXPECT_THAT(faults(with_stop("local(0)", "3", "exactly_once")),
              AllAre(HasSubstr("never, not exactly once")));
  EXPECT_THAT(faults(with_stop("local(0)", "5", "exactly_once")),
              AllAre(HasSubstr("more than once, not exactly once")));
  EXPECT_THAT(faults(with_stop("local(0)", "3", "at_most_once")), IsEmpty());
  EXPECT_THAT(faults(with_stop("local(0)", "5", "at_most_once")),
              AllAre(HasSubstr("more than once, not at most once")));
  EXPECT_THAT(faults(with_stop("group(0)", "2", "exactly_once")), IsEmpty());
  EXPECT_THAT(faults(with_stop("group(0)", "3", "exactly_once")),
              AllAre(StartsWith("control flow form wrong: ")));
  EXPECT_THAT(faults(with_stop("global(0)", "8", "exactly_once")), IsEmpty());
  EXPECT_THAT(faults(with_stop("global(0)", "7", "exactly_once")),
              AllAre(StartsWith("control flow form wrong: ")));
  EXPECT_THAT(faults(with_stop("sequential", "1", "exactly_once")), IsEmpty());
  EXPECT_THAT(faults(with_stop("sequential", "2", "at_most_once")),
              AllAre(StartsWith("control flow form wrong: ")));
  EXPECT_THAT(faults(with_stop("local(1)", "1", "exactly_once")), IsEmpty());
}

TEST_F(Fault, RangesOfVariablesThatDoNotHold) {
  EXPECT_THAT(faults("for i in sequential [0, 4) step 1 ranging [0, 4, 1) {}"), IsEmpty());
  EXPECT_THAT(faults("for i in sequential [0, 4) step 1 ranging [0, 3, 1) {}"),
              AllAre(HasSubstr("i is 3, which is not in its range (below 3)")));
  EXPECT_THAT(faults("for i in sequential [0, 4) step 1 ranging [1, 4, 1) {}"),
              AllAre(HasSubstr("i is 0, which is not in its range (from 1)")));
  EXPECT_THAT(faults("let k: i32 index [0, 8) = A[7];"), IsEmpty());
  EXPECT_THAT(faults("let k: i32 index [0, 7) = A[7];"),
              AllAre(HasSubstr("k is 7, which is not in its range")));
}

TEST_F(Fault, OperationsWithoutValue) {
  EXPECT_THAT(faults("let x: i32 = 1 / n;"),
              AllAre(AllOf(StartsWith("no value: "), HasSubstr("div of 1 and 0"))));
  EXPECT_THAT(faults("let x: i32 = A[1 / n];"), AllAre(HasSubstr("and the index divides by zero")));
  EXPECT_THAT(faults("if (test(1 % n < 1)) {}"), AllAre(HasSubstr("one of which has no value")));
  EXPECT_THAT(faults("for i in sequential [0, 1 / n) step 1 {}"),
              AllAre(HasSubstr("the bounds of the loop over i")));
  EXPECT_THAT(faults("for i in sequential [0, 4) step n {}"), AllAre(HasSubstr("its step is not positive")));
  EXPECT_THAT(faults("let x: i32 = A[(n == 0 ? 1 : 1 / n)];"), IsEmpty()) << "only the chosen part counts";
}

TEST_F(Fault, IndicesThatTheirTypeCannotHold) {
  const auto run = [](const std::string& type) {
    const Plan plan = parsed(
        "plan p { input n: i64; output C: global i32[1]; kernel k(scalar n: i64, write C: global i32[1])"
        "launch global [1, 1, 1] local [1, 1, 1] index " +
        type + " { C[n * n % 2] = 1; } steps { launch k; } }");
    Trial trial;
    trial.scalar("n", ScalarValue::of_integer(Scalar::I64, 100000)).execute(plan);
    return trial.report.faults;
  };
  EXPECT_THAT(run("i64"), IsEmpty());
  EXPECT_THAT(run("i32"),
              testing::Contains(AllOf(StartsWith("no value: "), HasSubstr("the index overflows"))));
}

TEST_F(Fault, OnlyAFewOfAKindAreKept) {
  const std::vector<std::string> found =
      faults("for i in sequential [0, 100) step 1 { let x: i32 = A[i]; let y: i32 = T[i % 8]; }");
  EXPECT_EQ(std::count_if(found.begin(), found.end(),
                          [](const std::string& each) { return each.starts_with("out of"); }),
            4);
  EXPECT_EQ(std::count_if(found.begin(), found.end(),
                          [](const std::string& each) { return each.starts_with("unset"); }),
            4);
}

}  // namespace
}  // namespace hoist::loop
