// `program_of` maps over the indices of the result, the first one outermost. Each is a dimension of one
// operand, which transpositions bring to the front: of "ij-ik-kj"
//
//   A |> map(Ai => B |> transpose |> map(Bj => dotProduct(Ai, Bj)))
//
// What is left of both operands inside are the contracted dimensions, of the right one in the order of the
// left one, joined to one. `training_contractions` draws indices, shuffles them and keeps what is new.
#include "workloads/contraction.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/random.hpp"

namespace hoist::workloads {

namespace {

constexpr std::array ccsd = std::to_array<std::string_view>(
    {"ij-ik-kj", "ij-ikl-ljk", "ij-kil-lkj", "ijk-ikl-lj", "ijk-il-jlk", "ijk-ilk-jl", "ijk-ilk-lj",
     "ijk-ilmk-mjl", "ijkl-imjn-lnkm", "ijkl-imjn-nlmk", "ijkl-imkn-jnlm", "ijkl-imkn-njml", "ijkl-imln-jnkm",
     "ijkl-imln-njmk", "ijkl-imnj-nlkm", "ijkl-imnk-njml", "ijkl-minj-nlmk", "ijkl-mink-jnlm",
     "ijkl-minl-njmk"});

bool has(std::string_view indices, char index) { return indices.find(index) != std::string_view::npos; }

char size_of_index(char index) { return static_cast<char>(std::toupper(static_cast<unsigned char>(index))); }

/// "[I][L][K]f32".
std::string array_type(std::string_view indices, Scalar type) {
  std::string text;
  for (char index : indices) text += fmt::format("[{}]", size_of_index(index));
  return text + std::string(name_of(type));
}

/// An operand while the program is written: what is left of it inside of the maps so far.
struct Operand {
  std::string text;
  std::string indices;  ///< of its dimensions
};

/// " |> map(map(transpose))", which exchanges the dimensions `depth` and `depth` + 1.
std::string exchange_at(std::size_t depth) {
  std::string text = "transpose";
  for (std::size_t level = 0; level < depth; ++level) text = fmt::format("map({})", text);
  return " |> " + text;
}

/// Brings a dimension to a place in front of where it is.
void bring(Operand& operand, char index, std::size_t place) {
  const std::size_t at = operand.indices.find(index);
  for (std::size_t depth = at; depth-- > place;) operand.text += exchange_at(depth);
  operand.indices.erase(at, 1);
  operand.indices.insert(place, 1, index);
}

/// Contracted indices alone are left, in one order for both.
std::string inner_product(Operand left, Operand right) {
  for (std::size_t place = 0; place < left.indices.size(); ++place) bring(right, left.indices[place], place);
  for (std::size_t dimension = 1; dimension < left.indices.size(); ++dimension) {
    left.text += " |> join";
    right.text += " |> join";
  }
  return fmt::format("dotProduct({}, {})", left.text, right.text);
}

/// Maps over the indices of the result, the first one outermost, and the inner product inside.
std::string expression(std::string_view result, Operand left, Operand right) {
  if (result.empty()) return inner_product(std::move(left), std::move(right));
  Operand& owner = has(left.indices, result.front()) ? left : right;
  bring(owner, result.front(), 0);
  // "A", "Ai", "Aik": the operand's element at the indices so far.
  const std::string array = owner.text;
  owner.text = array.substr(0, array.find(' ')) + result.front();
  owner.indices.erase(0, 1);
  const std::string element = owner.text;
  return fmt::format("{} |> map({} => {})", array, element,
                     expression(result.substr(1), std::move(left), std::move(right)));
}

/// One of so many indices, canonical.
Contraction draw(std::size_t indices, Random& random) {
  constexpr std::size_t most_contracted = 4;
  const std::size_t kept_at_least = indices > 3 ? 2 : 1;
  const std::size_t contracted = 1 + random.below(std::min(most_contracted, indices - kept_at_least));
  Contraction drawn;
  for (std::size_t i = 0; i < indices; ++i) {
    const char index = static_cast<char>('i' + i);
    if (i >= indices - contracted) {
      drawn.left += index;
      drawn.right += index;
      continue;
    }
    drawn.result += index;
    (i == 0 || random.below(2) == 0 ? drawn.left : drawn.right) += index;
  }
  for (std::string* operand : {&drawn.left, &drawn.right}) {
    std::vector<char> letters(operand->begin(), operand->end());
    random.shuffle(letters);
    operand->assign(letters.begin(), letters.end());
  }
  return canonical(drawn);
}

bool shares_an_index(std::string_view operand, std::string_view result) {
  return std::any_of(operand.begin(), operand.end(), [&](char index) { return has(result, index); });
}

tl::unexpected<Error> bad_name(std::string_view name, std::string why) {
  return user_error(
      fmt::format("'{}' names no contraction: {}", name, why), {},
      "the indices of the result, a hyphen, those of one operand, a hyphen, those of the other: "
      "ijk-ilk-jl; each index in exactly two of the three");
}

}  // namespace

std::string Contraction::indices() const {
  std::string all = result;
  for (char index : left) {
    if (!has(result, index)) all += index;
  }
  return all;
}

std::string to_string(const Contraction& contraction) {
  return fmt::format("{}-{}-{}", contraction.result, contraction.left, contraction.right);
}

Result<Contraction> contraction_named(std::string_view name) {
  const std::size_t first = name.find('-');
  const std::size_t second = first == std::string_view::npos ? first : name.find('-', first + 1);
  if (second == std::string_view::npos) return bad_name(name, "it has not three parts");
  Contraction contraction{std::string(name.substr(0, first)),
                          std::string(name.substr(first + 1, second - first - 1)),
                          std::string(name.substr(second + 1))};
  const std::array parts = {std::string_view(contraction.result), std::string_view(contraction.left),
                            std::string_view(contraction.right)};
  std::map<char, int> uses;
  for (std::string_view part : parts) {
    if (part.empty()) return bad_name(name, "a part is empty");
    for (char index : part) {
      if (index < 'i' || index > 'z') return bad_name(name, "an index is a letter from i to z");
      if (std::count(part.begin(), part.end(), index) > 1)
        return bad_name(name, fmt::format("{} is twice in one part", index));
      ++uses[index];
    }
  }
  for (const auto& [index, count] : uses) {
    if (count != 2) return bad_name(name, fmt::format("{} is in {} of the three parts", index, count));
  }
  if (std::all_of(contraction.left.begin(), contraction.left.end(),
                  [&](char index) { return has(contraction.result, index); }))
    return bad_name(name, "no index is contracted");
  return contraction;
}

Contraction canonical(const Contraction& contraction) {
  Contraction renamed = contraction;
  if (!has(renamed.left, renamed.result.front())) std::swap(renamed.left, renamed.right);
  const std::string order = renamed.indices();
  for (std::string* part : {&renamed.result, &renamed.left, &renamed.right}) {
    for (char& index : *part) index = static_cast<char>('i' + order.find(index));
  }
  return renamed;
}

std::string program_of(const Contraction& contraction, Scalar type) {
  std::string name = "contraction_" + to_string(contraction);
  std::replace(name.begin(), name.end(), '-', '_');
  return fmt::format("def {}(A: {}, B: {}): {} =\n  {}\n", name, array_type(contraction.left, type),
                     array_type(contraction.right, type), array_type(contraction.result, type),
                     expression(contraction.result, {"A", contraction.left}, {"B", contraction.right}));
}

std::span<const std::string_view> ccsd_contractions() { return ccsd; }

std::vector<Contraction> training_contractions(std::uint64_t seed) {
  struct Share {
    std::size_t indices, contractions;
  };
  constexpr std::array shares = std::to_array<Share>({{3, 4}, {4, 10}, {5, 5}, {6, 11}});
  Random random(seed);
  std::vector<Contraction> result;
  std::set<std::string, std::less<>> taken(ccsd.begin(), ccsd.end());
  for (const Share& share : shares) {
    const std::size_t wanted = result.size() + share.contractions;
    while (result.size() < wanted) {
      Contraction drawn = draw(share.indices, random);
      if (share.indices > 3 && !shares_an_index(drawn.right, drawn.result)) continue;
      if (taken.insert(to_string(drawn)).second) result.push_back(std::move(drawn));
    }
  }
  return result;
}

Result<std::map<char, std::int64_t>> resident_extents(const Contraction& contraction, std::int64_t lanes,
                                                      std::size_t element_bytes, std::size_t bytes) {
  const std::array parts = {std::string_view(contraction.result), std::string_view(contraction.left),
                            std::string_view(contraction.right)};
  const std::string indices = contraction.indices();
  std::map<char, std::int64_t> extents;
  for (char index : indices) extents[index] = 1;
  for (std::string_view part : parts) extents[part.back()] = lanes;
  const auto fits = [&] {
    std::size_t elements = 0;
    for (std::string_view part : parts) {
      std::size_t product = 1;
      for (char index : part) product *= static_cast<std::size_t>(extents[index]);
      elements += product;
    }
    return elements <= bytes / element_bytes;
  };
  if (!fits())
    return unsupported(fmt::format("{} with vectors of {} lanes does not stay within {} bytes",
                                   to_string(contraction), lanes, bytes));
  std::string growing = indices;
  while (!growing.empty()) {
    const auto smallest = std::min_element(growing.begin(), growing.end(),
                                           [&](char a, char b) { return extents[a] < extents[b]; });
    extents[*smallest] *= 2;
    if (fits()) continue;
    extents[*smallest] /= 2;
    growing.erase(smallest);
  }
  return extents;
}

}  // namespace hoist::workloads
