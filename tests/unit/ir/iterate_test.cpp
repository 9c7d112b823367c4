// Iterate: lengths that change, the name of the length that its function is typed with, and scopes of it.
#include "ir/iterate.hpp"

#include "support.hpp"

namespace hoist::ir {
namespace {

class Iterate : public InArena {
 protected:
  Term x = fresh(array({N}), "x");

  /// iterate(times, (v: [k]f32) => body(v), start), the length called `name` in `body`, or as nothing else.
  static Term iterate(arith::Expr times, Term start, const std::function<Term(Term)>& body,
                      std::string name = {}) {
    static int next = 0;
    if (name.empty()) name = "length" + std::to_string(next++);
    const Type parameter = array_type(arith::size(name), element_of(start.type()));
    return call(Op::Iterate, {times}, {function(parameter, body), start});
  }
  static Term sum_pairs(Term v) {
    const Term sum = function(array({2}), [](Term pair) {
      return call(Op::Reduce, {}, {addition(), real(0), pair});
    });
    return map(sum, split(2, v));
  }
  static Term first_half(Term v) {
    const arith::Expr half = arith::exact_quotient(v.type()->size, 2);
    return call(Op::Take, {half}, {join(split(2, v))});
  }
  static Term twice(Term v) { return call(Op::Concat, {}, {v, v}); }
  static Term drop(arith::Expr count, Term v) { return call(Op::Drop, {count}, {v}); }
  static Term increase(Term v) { return map(increment(), v); }
  static const Call& call_of(Term term) { return *term.as<Call>(); }
  static arith::Expr length_of(Term iterated) { return call_of(iterated).sizes.at(1); }
};

// ---- Types.

TEST_F(Iterate, KeepsALength) {
  EXPECT_EQ(type_of(iterate(3, x, increase)), "[N]f32");
  EXPECT_EQ(type_of(iterate(M, x, increase)), "[N]f32");
  EXPECT_EQ(type_of(iterate(0, x, increase)), "[N]f32");
}

TEST_F(Iterate, DividesALength) {
  EXPECT_EQ(type_of(iterate(7, fresh(array({128}), "x"), sum_pairs)), "[1]f32");
  EXPECT_EQ(type_of(iterate(3, fresh(array({8 * N}), "x"), sum_pairs)), "[N]f32");
  EXPECT_EQ(error_of([&] { iterate(3, fresh(array({12}), "x"), sum_pairs); }),
            "iterate: 3 steps divide the length by 8, which does not divide 12");
}

TEST_F(Iterate, MultipliesALength) {
  EXPECT_EQ(type_of(iterate(3, x, twice)), "[8*N]f32");
  EXPECT_EQ(iterate(M, x, twice).type(), array({N * arith::power(2, M)}));
}

// A pass that is switched off must not take a program's meaning with it.
TEST_F(Iterate, KnowsLengthsWithoutSimplification) {
  const arith::WithoutSimplification raw;
  const arith::Expr k = arith::size("k");
  EXPECT_EQ(length_after(k - 1, k, 40, 20), arith::constant(20));
  EXPECT_EQ(length_after(k + 3, k, 40, 20), arith::constant(100));
  EXPECT_TRUE(length_after(k + 3, k, 40, arith::index("step", 0, 20)));
}

TEST_F(Iterate, AddsToALength) {
  const auto longer = [](Term v) {
    return call(Op::Pad, {1, 2, static_cast<std::int64_t>(Boundary::Clamp)}, {v});
  };
  EXPECT_EQ(type_of(iterate(3, x, longer)), "[N + 9]f32");
  EXPECT_EQ(iterate(M, x, longer).type(), array({N + 3 * M}));
  const auto shorter = [](Term v) { return drop(2, v); };
  EXPECT_EQ(type_of(iterate(3, fresh(array({10}), "x"), shorter)), "[4]f32");
  EXPECT_EQ(error_of([&] { iterate(6, fresh(array({10}), "x"), shorter); }),
            "iterate: after 6 steps the length would be -2");
}

TEST_F(Iterate, ChangesALengthAsYouLikeInAKnownNumberOfSteps) {
  const auto grow = [](Term v) { return call(Op::Concat, {}, {twice(v), fresh(array({1}), "one")}); };
  EXPECT_EQ(type_of(iterate(3, fresh(array({1}), "x"), grow)), "[15]f32") << "1 3 7 15";
  EXPECT_EQ(error_of([&] { iterate(M, x, grow, "$knew"); }),
            "iterate: a length that changes from k to 2*k + 1 in each of M steps is not supported");
  const auto to_five = [](Term) { return fresh(array({5}), "five"); };
  EXPECT_EQ(type_of(iterate(2, x, to_five)), "[5]f32");
  EXPECT_EQ(type_of(iterate(0, x, to_five)), "[N]f32");
}

TEST_F(Iterate, OnScalarsAndTuples) {
  const Term one = call(Op::Iterate, {5}, {increment(), real(1)});
  EXPECT_EQ(type_of(one), "f32");
  EXPECT_EQ(call_of(one).sizes, (std::vector<arith::Expr>{5, 1}));
  const Type state = tuple_type({f32_type(), array({N})});
  const Term step = function(state, [](Term s) {
    return tuple({add(get(0, s), real(1)), increase(get(1, s))});
  });
  EXPECT_EQ(type_of(call(Op::Iterate, {M}, {step, fresh(state, "s")})), "(f32, [N]f32)");
  EXPECT_EQ(error_of([&] {
              call(Op::Iterate, {2}, {step, real(1)});
            }),
            "iterate: its function takes (f32, [N]f32), but is given f32");
  const Term other = function(f32_type(), [](Term e) { return cast(Scalar::I32, e); });
  EXPECT_EQ(error_of([&] {
              call(Op::Iterate, {2}, {other, real(1)});
            }),
            "iterate: its function must give what it takes, f32, but gives i32");
}

TEST_F(Iterate, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([&] { iterate(-1, x, increase); }), "iterate: m must be at least 0, but it is -1");
  EXPECT_EQ(error_of([&] {
              call(Op::Iterate, {2}, {addition(), x});
            }),
            "iterate: its function must take 1 argument, but the given function takes 2");
  EXPECT_EQ(error_of([&] {
              call(Op::Iterate, {2}, {increment(), x});
            }),
            "iterate: its function takes f32, but is given [N]f32");
  EXPECT_EQ(error_of([&] {
              call(Op::Iterate, {2}, {x, x});
            }),
            "iterate: the argument f must be a function, but it is [N]f32");
  const Term integers = function(array({K}, i32_type()), [](Term v) { return v; });
  EXPECT_EQ(error_of([&] {
              call(Op::Iterate, {2}, {integers, x});
            }),
            "iterate: its function takes [K]i32, but is given [N]f32");
  EXPECT_EQ(error_of([&] { iterate(2, x, [](Term v) {
                             return call(Op::At, {}, {integer(0), v});
                           }); }),
            "iterate: its function must give an array of f32, but gives f32");
  EXPECT_EQ(error_of([&] {
              iterate(
                  2, x, [](Term v) { return split(2, v); }, "k");
            }),
            "iterate: its function must give an array of f32, but gives [exactdiv(k, 2)][2]f32");
  const Term eight = fresh(array({8}), "x");
  EXPECT_EQ(error_of([&] {
              call(Op::Iterate, {2}, {function(array({4}), increase), eight});
            }),
            "iterate: its function takes [4]f32, but is given [8]f32");
}

TEST_F(Iterate, MayBeTypedWithTheLengthOfItsStart) {
  // Then what its function uses from outside may have that length too.
  const Term y = fresh(array({N}), "y");
  const auto sums = [&](Term v) {
    return map(identity(tuple_type({f32_type(), f32_type()})), call(Op::Zip, {}, {v, y}));
  };
  const auto step = [&](Term v) {
    return map(
        function(tuple_type({f32_type(), f32_type()}), [](Term p) { return add(get(0, p), get(1, p)); }),
        sums(v));
  };
  const Term fixed = call(Op::Iterate, {3}, {function(array({N}), step), x});
  EXPECT_EQ(type_of(fixed), "[N]f32");
  EXPECT_EQ(length_of(fixed), N);
  EXPECT_EQ(with_children(fixed, {call_of(fixed).arguments[0], y}),
            call(Op::Iterate, {3, N}, {function(array({N}), step), y}));
  const Term eight = substitute_sizes(fixed, {{N.get(), 8}});
  EXPECT_EQ(type_of(eight), "[8]f32");
  EXPECT_EQ(length_of(eight), arith::constant(8));
  EXPECT_EQ(substitute_sizes(call_of(eight).arguments[0], {{length_of(eight).get(), 8}}),
            call_of(eight).arguments[0]);
  EXPECT_EQ(error_of([&] {
              call(Op::Iterate, {3}, {function(array({N}), [](Term v) { return drop(1, v); }), x});
            }),
            "iterate: its function must give what it takes, [N]f32, but gives [N - 1]f32");
}

TEST_F(Iterate, DoesNotBindTheLengthOfWhatIsOutside) {
  const Term y = fresh(array({M}), "y");
  const auto step = [&](Term v) {
    return map(function(tuple_type({f32_type(), f32_type()}), [](Term p) { return get(0, p); }),
               call(Op::Zip, {}, {v, y}));
  };
  EXPECT_EQ(error_of([&] {
              call(Op::Iterate, {3}, {function(array({M}), step), x});
            }),
            "iterate: its function takes arrays of M elements, but is given an array of another length");
}

// ---- The name of the bound length.

TEST_F(Iterate, EqualTermsAreOneWhateverTheLengthIsCalled) {
  EXPECT_EQ(iterate(3, x, sum_pairs, "k"), iterate(3, x, sum_pairs, "anything"));
  EXPECT_EQ(iterate(3, x, sum_pairs, "k"), iterate(3, x, sum_pairs, "M"));
  const Term twice_named =
      call(Op::Iterate, {3, arith::size("j")}, {function(array({arith::size("j")}), sum_pairs), x});
  EXPECT_EQ(twice_named, iterate(3, x, sum_pairs));
  EXPECT_NE(iterate(3, x, sum_pairs), iterate(3, x, increase));
  EXPECT_EQ(call_of(iterate(3, x, sum_pairs)).arguments[0].type()->elements[0]->size,
            length_of(iterate(3, x, sum_pairs)));
}

TEST_F(Iterate, LengthsReadAsKInMessages) {
  const Term iterated = iterate(3, x, sum_pairs);
  EXPECT_EQ(to_string(call_of(iterated).arguments[0].type()), "([k]f32) -> [exactdiv(k, 2)]f32");
  const std::string message = error_of([&] {
    iterate(
        2, x,
        [&](Term v) {
          return call(Op::Zip, {}, {v, x});
        },
        "$knew0");
  });
  EXPECT_EQ(message, "zip: the first array has k elements, the second N; they must be equal");
}

TEST_F(Iterate, NestedLengthsDiffer) {
  const Term nested = iterate(
      2, x, [](Term v) { return iterate(3, v, increase, "inner"); }, "outer");
  const Term same_name = iterate(
      2, x, [](Term v) { return iterate(3, v, increase, "inner"); }, "inner2");
  EXPECT_EQ(nested, same_name);
  const Term inner = call_of(nested).arguments[0].as<Lambda>()->body;
  EXPECT_NE(length_of(inner), length_of(nested));
}

TEST_F(Iterate, OpeningAndClosingItsFunctionIsTheIdentity) {
  const Term iterated = iterate(3, x, [](Term v) { return iterate(2, sum_pairs(v), increase); });
  const Term f = call_of(iterated).arguments[0];
  const Term v = fresh(f.as<Lambda>()->parameters[0], "v");
  const Term again = lambda(std::vector<Term>{v}, apply(f, {v}));
  EXPECT_EQ(call(Op::Iterate, {3}, {again, x}), iterated) << "without naming the length";
  EXPECT_EQ(call(Op::Iterate, call_of(iterated).sizes, {again, x}), iterated);
}

/// Rewriting under an open iterate: each case rewrites the body of an open function and closes it again. The
/// result must be what is built in one go.
class OpenedIterate : public Iterate {
 protected:
  /// The iterate with its function's body rewritten.
  static Term rewritten(Term iterated, const std::function<Term(Term body, Term v)>& rewrite) {
    const Call& outer = call_of(iterated);
    const Term v = fresh(outer.arguments[0].as<Lambda>()->parameters[0], "v");
    const Term body = rewrite(apply(outer.arguments[0], {v}), v);
    return call(Op::Iterate, {outer.sizes[0]}, {lambda(std::vector<Term>{v}, body), outer.arguments[1]});
  }
};

TEST_F(OpenedIterate, AnIterateIsAddedInside) {
  const Term outer = iterate(2, x, increase);
  EXPECT_EQ(rewritten(outer, [](Term body, Term) { return iterate(3, body, increase); }),
            iterate(2, x, [](Term v) { return iterate(3, increase(v), increase); }));
}

TEST_F(OpenedIterate, TheInnerIterateGrowsAndUsesTheOuterLength) {
  // The inner function gets an iterate of its own and reads the outer's array in it.
  const auto read = [](Term array, Term v) {
    return map(function(f32_type(),
                        [&](Term e) {
                          return add(e, call(Op::At, {}, {integer(0), v}));
                        }),
               array);
  };
  const Term outer = iterate(2, x, [](Term v) { return iterate(3, v, increase); });
  const Term grown = rewritten(outer, [&](Term body, Term v) {
    return rewritten(body, [&](Term, Term w) { return iterate(4, w, [&](Term u) { return read(u, v); }); });
  });
  EXPECT_EQ(grown, iterate(2, x, [&](Term v) {
              return iterate(
                  3, v,
                  [&](Term w) {
                    return iterate(
                        4, w, [&](Term u) { return read(u, v); }, "c");
                  },
                  "b");
            }));
}

TEST_F(OpenedIterate, AValueThatReadsTheOuterArrayMovesIntoTheInnerFunction) {
  const auto sum = [](Term v) { return call(Op::Reduce, {}, {addition(), real(0), v}); };
  const auto add_to_all = [](Term s, Term w) {
    return map(function(f32_type(), [&](Term e) { return add(e, s); }), w);
  };
  const Term outer = iterate(2, x, [&](Term v) {
    return let(sum(v), function(f32_type(), [&](Term s) {
                 return iterate(3, v, [&](Term w) { return add_to_all(s, w); });
               }));
  });
  const Term inlined = rewritten(outer, [](Term body, Term) {
    const auto* let_node = body.as<Let>();
    return apply(let_node->body, {let_node->value});
  });
  EXPECT_EQ(inlined, iterate(2, x, [&](Term v) {
              return iterate(
                  3, v, [&](Term w) { return add_to_all(sum(v), w); }, "inner");
            }));
}

TEST_F(OpenedIterate, AnIterateInThatValueToo) {
  const auto sum = [](Term v) {
    return call(Op::Reduce, {}, {addition(), real(0), iterate(5, v, increase, "s")});
  };
  const auto add_to_all = [](Term s, Term w) {
    return map(function(f32_type(), [&](Term e) { return add(e, s); }), w);
  };
  const Term outer = iterate(2, x, [&](Term v) {
    return let(sum(v), function(f32_type(), [&](Term s) {
                 return iterate(3, v, [&](Term w) { return add_to_all(s, w); });
               }));
  });
  const Term inlined = rewritten(outer, [](Term body, Term) {
    const auto* let_node = body.as<Let>();
    return apply(let_node->body, {let_node->value});
  });
  EXPECT_EQ(inlined, iterate(2, x, [&](Term v) {
              return iterate(
                  3, v, [&](Term w) { return add_to_all(sum(v), w); }, "inner");
            }));
}

TEST_F(OpenedIterate, TheInnerIterateGoes) {
  const Term outer = iterate(2, x, [](Term v) { return iterate(1, increase(v), sum_pairs); });
  const Term unrolled = rewritten(outer, [](Term body, Term) {
    const Call& inner = call_of(body);
    const Term f =
        substitute_sizes(inner.arguments[0], {{inner.sizes[1].get(), inner.arguments[1].type()->size}});
    return apply(f, {inner.arguments[1]});
  });
  EXPECT_EQ(unrolled, iterate(2, x, [](Term v) { return sum_pairs(increase(v)); }));
}

TEST_F(OpenedIterate, ItsOwnFunctionIsIteratedInside) {
  // iterate(6, f, x) as iterate(2, v => iterate(3, f, v), x), by reusing f as it is.
  const Term whole = iterate(6, x, increase);
  const Term f = call_of(whole).arguments[0];
  const Term nested = rewritten(iterate(2, x, increase), [&](Term, Term v) {
    return call(Op::Iterate, {3}, {f, v});
  });
  EXPECT_EQ(type_of(nested), "[N]f32");
  EXPECT_EQ(nested, iterate(2, x, [](Term v) { return iterate(3, v, increase, "j"); }));
  const Term halving = iterate(2, fresh(array({64}), "x"), sum_pairs);
  const Term halved = rewritten(halving, [&](Term, Term v) {
    return call(Op::Iterate, {3}, {call_of(halving).arguments[0], v});
  });
  EXPECT_EQ(type_of(halved), "[1]f32");
}

TEST_F(OpenedIterate, VariablesAndSizesDoNotChangeTheName) {
  const auto plus = [&](Term e) {
    return iterate(
        3, x, [&](Term v) { return map(function(f32_type(), [&](Term each) { return add(each, e); }), v); });
  };
  const Term e = fresh(f32_type(), "e");
  const arith::Expr length = length_of(plus(e));
  EXPECT_EQ(length_of(plus(fresh(f32_type(), "other"))), length);
  EXPECT_EQ(length_of(lambda(std::vector<Term>{e}, plus(e)).as<Lambda>()->body), length);
  EXPECT_EQ(length_of(substitute_sizes(plus(e), {{N.get(), 8}})), length);
}

// ---- Substituting sizes.

TEST_F(Iterate, ItsLengthIsSubstitutedInItsFunctionOnly) {
  // As lowering does for each step.
  const Term iterated = iterate(3, fresh(array({64}), "x"), sum_pairs);
  const Term f = call_of(iterated).arguments[0];
  const Term step = substitute_sizes(f, {{length_of(iterated).get(), 64}});
  EXPECT_EQ(type_of(step), "([64]f32) -> [32]f32");
  EXPECT_EQ(substitute_sizes(iterated, {{length_of(iterated).get(), 64}}), iterated) << "nothing is free";
}

TEST_F(Iterate, SubstitutionDoesNotCaptureItsLength) {
  const Term iterated = iterate(3, x, [&](Term v) {
    return map(function(f32_type(), [&](Term e) { return add(e, cast(Scalar::F32, size_value(N))); }), v);
  });
  const arith::Expr length = length_of(iterated);
  const Term renamed = substitute_sizes(iterated, {{N.get(), length}});
  EXPECT_EQ(renamed.type(), array({length}));
  EXPECT_EQ(substitute_sizes(renamed, {{length.get(), N}}), iterated);
}

TEST_F(Iterate, BecomesIllTypedWhereSizesDoNotFit) {
  const Term iterated = iterate(3, x, sum_pairs);
  EXPECT_EQ(type_of(substitute_sizes(iterated, {{N.get(), 24}})), "[3]f32");
  EXPECT_EQ(error_of([&] {
              substitute_sizes(iterated, {{N.get(), 20}});
            }),
            "iterate: 3 steps divide the length by 8, which does not divide 20");
}

// ---- As the language's elaboration types it.

TEST_F(Iterate, IsTypedFromItsStart) {
  CallTyping typing(Op::Iterate, 2);
  typing.give_static(0, 3);
  EXPECT_EQ(typing.function_parameters(1).error().diagnostics[0].message,
            "iterate: its last argument is missing");
  ASSERT_TRUE(typing.give_data(2, array({N})));
  const auto parameters = typing.function_parameters(1);
  ASSERT_TRUE(parameters);
  ASSERT_EQ(parameters->size(), 1U);
  EXPECT_EQ(to_string(parameters->at(0)), "[k]f32");
  EXPECT_EQ(typing.function_parameters(1)->at(0), parameters->at(0)) << "asked again";
  const Term f = function(parameters->at(0), sum_pairs);
  ASSERT_TRUE(typing.give_function(1, f.type()));
  EXPECT_EQ(to_string(*typing.result()), "[exactdiv(N, 8)]f32");
  EXPECT_TRUE(typing.has_assumptions());
  EXPECT_EQ(call(Op::Iterate, typing.static_arguments(), {f, x}), iterate(3, x, sum_pairs));
}

}  // namespace
}  // namespace hoist::ir
