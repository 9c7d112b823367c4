#pragma once
// The 104 stencils on which Garvey and Abdelrahman (A strategy for automatic performance tuning of stencil
// computations on GPUs, Scientific Programming 2018, sections 3 and 7.1) judge their search: five patterns in
// one, two or three dimensions of an array of three, in every orientation, of radius 0 to 5.
//
// The paper shows its patterns in a figure and counts them (its table 2); it defines none. The definitions
// here are those that the counts and the names leave. Of radius r, in the dimensions that a stencil extends
// in, it reads the points whose offset is
//
//   dense       r at the most in each dimension: (2 r + 1)^d points. In one dimension all patterns are this
//               one, and of radius 0, too: 1 + 15 of one dimension.
//   star        not 0 in one dimension at the most: 2 d r + 1 points.
//   diamond     r at the most, all dimensions added. Of radius 1 it is the star, so it begins with 2.
//   no corners  dense, without the 2^d points that are r away in every dimension. In two dimensions and of
//               radius 1 it is the star, so that it begins with 2 there and with 1 in three dimensions, where
//               the edges of the cube stay: 19 points. Were they taken away, too, that would be the star.
//   thumbtack   a dense square, and through its middle a line along the third dimension, the unique one:
//               (2 r + 1)^2 + 2 r points. There are three of each radius from 1 on. So the head is a square:
//               a star or a diamond with such a line would be the star of three dimensions if r is 1. And the
//               line goes to both sides: with one to one side only there would be six orientations.
//
// Their numbers in the tables 12 and 13 of the paper (radius, pattern, dimensions, unique dimension) are
// those of the list here, in its order. Weights are drawn from 0.001, 0.002, ... 0.999, by a seed; the paper
// says that its own are random and not zero.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/stencil.hpp"

namespace hoist::workloads {

enum class Pattern : std::uint8_t { Thumbtack, Dense, Star, Diamond, NoCorners };
/// "thumbtack", "dense", "star", "diamond", "no corners".
std::string_view name_of(Pattern pattern);

struct FamilyStencil {
  Pattern pattern = Pattern::Dense;
  int radius = 0;
  int dimensionality = 0;  ///< how many dimensions it extends in: 0 of radius 0, where the paper says 1
  /// 'x', 'y' or 'z' for columns, rows and planes: the one that it extends in, of one dimension; the one that
  /// it does not, of two; that of the line of a thumbtack. Else nothing.
  std::optional<char> unique_dimension;
  Stencil stencil;  ///< "dense_yx_r2": what it extends in; "thumbtack_z_r1": along which the line is

  /// Its points by those of the smallest box around them.
  double density() const;
};

/// All 104, in the order of the paper's table 12, each with weights of its own that the seed says. With
/// `intensities` each of them four times, with 1 or 2 additions and multiplications a point ("..._a2_m1"; its
/// section 8.3.8): 416.
std::vector<FamilyStencil> stencil_family(std::uint64_t seed, bool intensities = false);

}  // namespace hoist::workloads
