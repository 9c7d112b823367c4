#pragma once
// How a stencil best loads its input: a learned task. From what is seen of a stencil before anything runs
// follows which of four techniques is tried: elements of global memory, vectors of it, a copy in local
// memory, or an image. After Garvey and Abdelrahman (A strategy for automatic performance tuning of stencil
// computations on GPUs, Scientific Programming 2018, section 6.1), who learn the label of the best technique;
// here the speed of all four is learned, so that errors count by what they cost.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/matrix.hpp"
#include "learn/json.hpp"

namespace hoist::predict {

enum class Technique : std::uint8_t { Global, Vector, Local, Image };
inline constexpr std::array all_techniques = {Technique::Global, Technique::Vector, Technique::Local,
                                              Technique::Image};
/// Something for each technique, in their order.
template <class T>
using ByTechnique = std::array<T, all_techniques.size()>;
/// As tables and options have it: "global", "vector", "local", "image".
std::string_view name_of(Technique technique);

/// The order in which the other parameters are searched once the technique is chosen (section 6.2). The best
/// technique may differ between them, so a model is learned for each.
enum class Heuristic : std::uint8_t { Dimensions, Optimisations, Hybrid };
inline constexpr std::array all_heuristics = {Heuristic::Dimensions, Heuristic::Optimisations,
                                              Heuristic::Hybrid};
/// "dimensions", "optimisations", "hybrid".
std::string_view name_of(Heuristic heuristic);
/// The one with whose name that of a search begins: of "hybrid-restricted" the hybrid, which it also is of
/// others.
Heuristic heuristic_like(std::string_view search);

/// The dimension that differs from the others, if one does.
enum class UniqueDimension : std::uint8_t { None, X, Y, Z };
/// "none", "x", "y", "z".
std::string_view name_of(UniqueDimension dimension);

/// What is seen of a stencil.
struct StencilTraits {
  double size = 1;            ///< elements that are read for one of the result
  double dimensionality = 0;  ///< in how many dimensions they lie: 0 to 3
  double density = 1;         ///< size over that of the smallest box around them
  UniqueDimension unique_dimension = UniqueDimension::None;
  double additions = 1, multiplications = 1;  ///< for each element that is read
};

/// What a search of all other parameters found with one technique, and what it cost.
struct TechniqueSearch {
  std::optional<double> seconds;  ///< of the fastest; nothing where no configuration ran
  double configurations = 0;      ///< that were built
  double build_seconds = 0, run_seconds = 0;
};
struct StencilRecord {
  std::string stencil, pattern;
  StencilTraits traits;
  std::array<ByTechnique<TechniqueSearch>, all_heuristics.size()> searches;  ///< by heuristic

  const ByTechnique<TechniqueSearch>& of(Heuristic heuristic) const {
    return searches[static_cast<std::size_t>(heuristic)];
  }
  /// The speed of each technique as a share of the best one's: 1 for the best, 0 for one that never ran.
  /// Nothing where none ran.
  std::optional<ByTechnique<double>> shares(Heuristic heuristic) const;
};
/// What was measured on devices of one class (predict/devices.hpp).
struct TechniqueTable {
  std::string device_class;
  std::map<std::string, std::string> provenance;
  std::vector<StencilRecord> stencils;
};

struct TechniquePrediction {
  Technique technique{};
  ByTechnique<double> shares{};  ///< of the best technique's speed, expected of each
  std::size_t learned_from = 0;  ///< stencils
};

class TechniqueModel {
 public:
  struct Options {
    std::uint64_t seed = 1;
    std::map<std::string, std::string> provenance = {};
  };
  /// Errors: a table in which nothing ran.
  static Result<TechniqueModel> learn(const TechniqueTable& table, const Options& options);

  const std::string& device_class() const { return device_class_; }
  const std::map<std::string, std::string>& provenance() const { return provenance_; }
  /// How many stencils were learned from; 0 where the model cannot predict for the heuristic.
  std::size_t learned_from(Heuristic heuristic) const;

  /// For each stencil the technique whose expected loss of speed is the least, of those in `available`, which
  /// is one at least. Errors: nothing was learned of the heuristic.
  Result<std::vector<TechniquePrediction>> predict(Heuristic heuristic,
                                                   const std::vector<StencilTraits>& stencils,
                                                   const ByTechnique<bool>& available) const;

  /// A model is what it has learned from, and a seed: its trees are grown, within milliseconds, when they are
  /// asked.
  learn::Json to_json() const;
  /// User error where the text is no such model; `name` is the file's.
  static Result<TechniqueModel> parse(std::string_view bytes, const std::string& name);
  Result<void> save(const std::string& path) const;
  static Result<TechniqueModel> load(const std::string& path);

 private:
  struct Learned {
    Matrix traits;  ///< as numbers_of gives them
    Matrix shares;
  };
  static TechniqueModel read(const learn::Json& json);

  std::string device_class_;
  std::uint64_t seed_ = 1;
  std::map<std::string, std::string> provenance_;
  std::array<Learned, all_heuristics.size()> learned_;
};

/// Why, in a sentence: "local memory: 343 points of 343 in the box around them, in three dimensions; such
/// stencils are 1.8 times as fast from there as from images".
std::string explanation(const TechniquePrediction& prediction, const StencilTraits& traits,
                        const ByTechnique<bool>& available);

/// Traits as what our learner sees: sizes on a logarithmic scale, and in which dimensions the stencil lies.
std::vector<double> inputs_of(const StencilTraits& traits);

}  // namespace hoist::predict
