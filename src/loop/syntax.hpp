#pragma once
// The words of the loop IR's text, shared by its printer and its parser.
//
//   plan NAME {
//     size N;
//     input A: global f32[N];            a buffer: its space, element type and number of scalars
//     input I: global f32[4 * H * W] image(4, W);    an image: scalars of a pixel, pixels of a row
//     input J: global f32[H * W] image(1, W, 2);     an image of two blocks of rows side by side
//     input a: f32;                      a scalar
//     output C: global f32[N];
//     temporary T: global f32[N];
//     assume (N % 64 == 0) "split(64): 64 must divide N";
//     kernel NAME(
//         read A: global f32[N],
//         write C: global f32[N],
//         scalar a: f32,
//         size N)
//       launch global [N, 1, 1] local [64, 1, 1] index i32 {
//       // a comment
//       for g in group(0) [0, N / 64) step 1 : exactly_once {
//         allocate tile: local f32[64];
//         for l in local(0) [0, 64) step 1 : exactly_once {
//           let k: i32 index [0, N) = K[l];           `index`: usable in index expressions, in this range
//           var sum: f32x4;                            mutable; here not yet set
//           sum = A[4 * l +: 4] + f32x4{0.5} * f32x4(a);   4 scalars from 4 * l on; literal; repeated value
//           tile[l] = select(test(l < N), as_f32(index_i32(k + 1)), sum.s3);
//         }
//         let other: f32 = shuffle(sum.s0, 16);      of the work-item 16 places away in the warp
//         atomic(add) tile[k] = sum.s0;              added to what is there, indivisibly
//         barrier(local);
//         alias p: local f32[64] = tile;
//         swap(p, q);
//         if (x < 0.0 && y) { ... } else { ... }
//         for i in sequential [0, 9) step 1 while (running) { ... }    ends early where `running` is false
//         for i in sequential [0, 4) step 1 ranging [0, 8, 1) unroll { ... }
//           `ranging`: the variable's own range, where it is not the loop's; `reorderable` behind it: a
//           reduction in any order; `independent`: some iterations may run without the others
//       }
//     }
//     steps {
//       launch NAME;
//       repeat (count) exchange T, C exchange U, D { ... }
//       repeat (_) times M number step: i32 while F { launch TEST; } do { ... }
//         as often as M[0] says, while F[0] is true after what stands before `do`; `step` counts from 0
//       copy T to C;
//     }
//   }
//
// Index expressions (in brackets, `test`, `index_TYPE`, loop bounds) are in the syntax of arith; `_` is an
// empty one. Operations without an infix symbol are called by their name.
#include <string>
#include <string_view>

#include "loop/kernel.hpp"

namespace hoist::loop {

std::string_view name_of(AddressSpace space);
std::string_view name_of(Parallelism parallelism);
std::string_view name_of(LoopForm form);

/// How tightly an operation with an infix symbol binds, as in C; 0 for one that is printed as a call.
int infix_precedence(ScalarOp op);
inline constexpr int postfix_precedence = 11;

}  // namespace hoist::loop
