// Terms of one thread that others build on.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "arith/expr.hpp"
#include "ir/print.hpp"
#include "ir/term.hpp"

namespace hoist::ir {
namespace {

using arith::Expr;

TEST(LentArena, WhatAnotherThreadMadeIsTheSameNode) {
  const Arena arena;
  const Expr n = arith::size("N"), twice = 2 * n;
  const Term one = literal(ScalarValue::of_integer(Scalar::I32, 1));
  const LentArena lent = LentArena::of_this_thread();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const Arena inside(lent);
      EXPECT_EQ(arith::size("N"), n);
      EXPECT_EQ(2 * arith::size("N"), twice);
      EXPECT_EQ(literal(ScalarValue::of_integer(Scalar::I32, 1)), one);
      // What is new is this thread's, and equal to itself.
      const Expr own = arith::size("own") + i + 2000;
      EXPECT_EQ(own, 2000 + i + arith::size("own"));
      EXPECT_EQ(Expr(77) - 77 + n, n);
      for (int k = 0; k < 1000; ++k) EXPECT_EQ((n + k) - n, Expr(k));
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(arith::size("N") + arith::size("N"), twice);
}

TEST(LentArena, FreeVariablesThereAreNoneOfThoseHere) {
  const Arena arena;
  const Type number = scalar_type(Scalar::I32);
  const Term here = fresh(number, "here");
  const LentArena lent = LentArena::of_this_thread();
  std::thread([&] {
    const Arena inside(lent);
    EXPECT_NE(fresh(number, "there"), here);
  }).join();
}

TEST(LentArena, OwnExpressionsAreThereAgainAfterwards) {
  const Arena arena;
  const LentArena lent = LentArena::of_this_thread();
  std::thread([&] {
    const Arena own;
    const Expr five(5), m = arith::size("M");
    {
      const Arena inside(lent);
      EXPECT_NE(Expr(5).get(), five.get()) << "a small constant is found without hashing";
      const Arena further;
      EXPECT_EQ(arith::size("M") - arith::size("M"), Expr(0));
    }
    EXPECT_EQ(Expr(5).get(), five.get());
    EXPECT_EQ(arith::size("M"), m);
  }).join();
}

}  // namespace
}  // namespace hoist::ir
