#pragma once
// Which elements of arrays a part of a result is computed from: the elements around a place, as a stencil
// reads them, or all of them. Extents are found by an abstract interpretation of terms whose sizes are known:
// indices are ranges around multiples of the place's coordinates.
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "ir/term.hpp"

namespace hoist::rewrite {

/// The integers i with factors * place + least <= divisor * i <= factors * place + most, where place is a
/// vector of coordinates.
struct Extent {
  std::vector<std::int64_t> factors;  ///< not negative; one for each coordinate
  std::int64_t divisor = 1;
  std::int64_t least = 0, most = 0;

  /// The dimension that it moves along with; nothing where it moves along none, or along several.
  std::optional<std::size_t> dimension() const;
  bool is_fixed() const;
};

/// What is read of an array for the elements at `place`, given what is read of it for the element at a place:
/// `inner` is of one coordinate alone, whose values `place` says.
Extent composed(const Extent& place, const Extent& inner);

/// What is read of arrays that are free variables in terms, to compute one element of a result.
class Footprints {
 public:
  /// For places in a result of these dimensions, and reads of these arrays.
  Footprints(std::vector<std::int64_t> lengths, const std::vector<ir::Term>& arrays);

  /// The place's own coordinate in one dimension.
  Extent coordinate(std::size_t dimension) const;
  /// Adds what the elements of an array term at these indices are computed from; of dimensions without an
  /// index all elements are meant. False where it takes too long to find out.
  bool add(ir::Term term, const std::vector<Extent>& indices);
  /// The indices that were read of each dimension of the array; empty where nothing was read.
  const std::vector<Extent>& of(ir::Term array) const { return read_.at(array); }

 private:
  /// A component of a tuple, by its number, or an element of an array.
  using Selection = std::variant<std::uint32_t, Extent>;
  /// Outermost first.
  using Path = std::vector<Selection>;
  struct Place {
    ir::Term term;
    Path path;
  };

  void read(ir::Term term, Path path);
  void read_call(const ir::Call& call, Path path);
  void read_all(ir::Term term);
  void read_body(ir::Term lambda, const std::vector<std::optional<Place>>& parameters, Path path);
  void record(ir::Term array, const Path& path);
  /// The value of an integer term; nothing where it is not known. What it reads is added.
  std::optional<Extent> value_of(ir::Term term);
  std::optional<Extent> value_of_call(const ir::ScalarCall& call);

  Extent all_of(std::int64_t length) const;
  Extent fixed(std::int64_t least, std::int64_t most) const;
  Extent within(Extent index, std::int64_t length) const;
  Extent reflected(Extent index, std::int64_t length, bool repeats_edge) const;
  std::int64_t most_of(const Extent& index) const;

  std::vector<std::int64_t> lengths_;
  std::unordered_map<ir::Term, std::vector<Extent>> read_;
  /// Parameters of functions that were opened: what they stand for, where that is known.
  std::unordered_map<ir::Term, Place> elements_;
  std::unordered_map<ir::Term, Extent> numbers_;
  std::size_t visited_ = 0;
};

}  // namespace hoist::rewrite
