// A forest as Weka grows it: each tree from as many rows as there are, drawn with replacement. In each node
// columns are drawn until log2(columns) + 1 were looked at and one of them tells something of the classes;
// the node is cut by the one that tells the most (information gain): numbers at a threshold, nominal values
// into a branch each.
//
// What is drawn decides everything else, so the order of all draws is Weka's: the rows of a tree, the seed of
// the tree, and from that seed and the text of one of its rows the columns of its nodes. Sums are in Weka's
// order, too, since equal gains are told apart by their last digits: rows lie as the last quicksort left
// them.
//
// Read Names, which prints rows; Grower, which grows a tree; Forest, which draws and votes.
#include "learn/weka/random_forest.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "learn/weka/java_random.hpp"
#include "learn/weka/quicksort.hpp"

namespace hoist::learn {

namespace {

constexpr std::int32_t seed_of_forest = 1;
constexpr double least_weight_to_cut = 2;
constexpr double same = 1e-6;  ///< what differs by less is equal to Weka

bool is_equal(double one, double other) { return one == other || std::abs(one - other) < same; }

/// A number as Weka prints it: six digits behind the point, without zeros at the end. From about 9.2e12 on as
/// Java prints it, with the fewest digits that tell it from others.
std::string text_of(double number) {
  const double scaled = number * 1e6;
  if (std::abs(scaled) < 0x1p63) {
    std::string digits = std::to_string(static_cast<std::int64_t>(std::abs(scaled) + 0.5));
    if (digits == "0") return digits;
    if (digits.size() < 7) digits.insert(0, 7 - digits.size(), '0');
    digits.insert(digits.size() - 6, 1, '.');
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
    return number < 0 ? "-" + digits : digits;
  }
  char buffer[32];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific);
  const std::string text(buffer, end);
  const std::size_t exponent = text.find('e');
  const std::string digits = text.substr(0, exponent);
  return digits + (digits.find('.') == std::string::npos ? ".0E" : "E") +
         std::to_string(std::stoi(text.substr(exponent + 1)));
}

/// A name as Weka prints it.
std::string quoted(const std::string& name) {
  if (!is_weka_name(name)) throw Bug("a random forest cannot have such a name: " + name);
  const bool needs_quotes = name.empty() || name == "?" || name.find_first_of("{}, ") != std::string::npos;
  return needs_quotes ? "'" + name + "'" : name;
}

/// Says what columns are and prints rows.
class Names {
 public:
  explicit Names(const WekaNames& names) : classes_(names.classes) {
    for (std::string& name : classes_) name = quoted(name);
    for (const auto& values : names.columns) {
      auto& texts = columns_.emplace_back();
      for (const std::string& value : values) texts.push_back(quoted(value));
    }
  }

  /// The number of values of a nominal column; 0 for numbers.
  std::size_t values(std::size_t column) const {
    return column < columns_.size() ? columns_[column].size() : 0;
  }

  std::string text(std::span<const double> row, std::uint32_t class_of_row) const {
    std::string result;
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (std::isnan(row[column])) {
        result += "?,";
      } else if (values(column) > 0) {
        result += columns_[column].at(static_cast<std::size_t>(row[column])) + ",";
      } else {
        result += text_of(row[column]) + ",";
      }
    }
    return result + (classes_.empty() ? std::to_string(class_of_row) : classes_.at(class_of_row));
  }

 private:
  std::vector<std::vector<std::string>> columns_;
  std::vector<std::string> classes_;
};

/// String.hashCode of Java.
std::int32_t hash_of(const std::string& text) {
  std::uint32_t hash = 0;
  for (const char letter : text) hash = 31 * hash + static_cast<unsigned char>(letter);
  return static_cast<std::int32_t>(hash);
}

using Weights = std::vector<double>;  ///< of each class

double sum(const Weights& weights) { return std::accumulate(weights.begin(), weights.end(), 0.0); }

void normalize(Weights& weights) {
  const double all = sum(weights);
  for (double& each : weights) each /= all;
}

/// x ln x.
double entropy_term(double weight) { return weight <= 0 ? 0 : weight * std::log(weight); }

const double ln_2 = std::log(2.0);

/// The entropy of the classes, in bits, before rows are dealt out to branches.
double entropy(const std::vector<Weights>& branches) {
  double terms = 0, total = 0;
  for (std::size_t i = 0; i < branches.front().size(); ++i) {
    double weight = 0;
    for (const Weights& branch : branches) weight += branch[i];
    terms -= entropy_term(weight);
    total += weight;
  }
  return is_equal(total, 0) ? 0 : (terms + entropy_term(total)) / (total * ln_2);
}

/// The entropy that branches leave.
double entropy_within(const std::vector<Weights>& branches) {
  double terms = 0, total = 0;
  for (const Weights& branch : branches) {
    double weight = 0;
    for (const double each : branch) {
      terms += entropy_term(each);
      weight += each;
    }
    terms -= entropy_term(weight);
    total += weight;
  }
  return is_equal(total, 0) ? 0 : -terms / (total * ln_2);
}

/// A row in a node; one that lacks the number by which a node was cut is in all branches, with a part of its
/// weight.
struct Held {
  std::uint32_t row = 0;
  double weight = 1;
};

struct Node {
  bool is_cut = false;
  std::size_t column = 0;
  double at = 0;               ///< smaller numbers go to the first branch, others to the second
  std::vector<double> shares;  ///< of the branches in what is missing
  std::vector<Node> branches;  ///< two, or one for each nominal value
  Weights classes;             ///< none where no row came
};

class Grower {
 public:
  Grower(const Matrix& rows, const std::vector<std::uint32_t>& classes, std::uint32_t class_count,
         const Names& names)
      : rows_(rows), classes_(classes), class_count_(class_count), names_(names) {}

  Node grow(std::vector<Held> held, std::int32_t seed) {
    random_ = JavaRandom(static_cast<std::uint64_t>(std::int64_t{seed}));
    const std::uint32_t drawn = held[random_.below(static_cast<std::uint32_t>(held.size()))].row;
    const std::int64_t hash = hash_of(names_.text(rows_.row(drawn), classes_[drawn]));
    random_ = JavaRandom(static_cast<std::uint64_t>(hash + seed));
    columns_.resize(rows_.width);
    std::iota(columns_.begin(), columns_.end(), std::size_t{0});
    Weights weights(class_count_, 0);
    for (const Held& each : held) weights[classes_[each.row]] += each.weight;
    Node root;
    grow(root, held, weights);
    return root;
  }

 private:
  /// What a cut would do.
  struct Cut {
    std::size_t column = 0;
    double at = 0;
    double gain = -std::numeric_limits<double>::max();
    std::vector<Weights> branches;  ///< the classes in each
    std::vector<double> shares;
  };

  double value(const Held& held, std::size_t column) const { return rows_.at(held.row, column); }

  void grow(Node& node, std::vector<Held>& held, const Weights& weights) {
    if (held.empty()) return;
    node.classes = weights;
    if (sum(weights) < least_weight_to_cut ||
        is_equal(*std::max_element(weights.begin(), weights.end()), sum(weights)))
      return;
    Cut best = best_cut(held);
    if (!(best.gain > same)) return;
    node.is_cut = true;
    node.column = best.column;
    node.at = best.at;
    node.shares = std::move(best.shares);
    node.branches.resize(node.shares.size());
    std::vector<std::vector<Held>> parts = dealt_out(node, held);
    bool has_all = true;
    for (std::size_t i = 0; i < parts.size(); ++i) grow(node.branches[i], parts[i], best.branches[i]);
    for (const Node& branch : node.branches) has_all = has_all && !branch.classes.empty();
    // Weka looks only whether a branch has classes of its own, which one that was cut in full has not.
    if (has_all) node.classes.clear();
  }

  Cut best_cut(std::vector<Held>& held) {
    const int looked_at_least = static_cast<int>(std::log(static_cast<double>(rows_.width)) / ln_2) + 1;
    Cut best;
    bool tells_something = false;
    std::size_t left = columns_.size();
    for (int looked = 0; left > 0 && (looked < looked_at_least || !tells_something); ++looked) {
      std::swap(columns_[random_.below(static_cast<std::uint32_t>(left))], columns_[left - 1]);
      Cut cut = cut_by(columns_[--left], held);
      tells_something = tells_something || cut.gain > same;
      if (cut.gain > best.gain || (cut.gain == best.gain && cut.column < best.column)) best = std::move(cut);
    }
    return best;
  }

  /// The best cut by a column. Orders what is held by it if it has numbers.
  Cut cut_by(std::size_t column, std::vector<Held>& held) {
    Cut cut;
    cut.column = column;
    if (names_.values(column) > 0) {
      cut.branches.assign(names_.values(column), Weights(class_count_, 0));
      for (const Held& each : held) {
        const double place = value(each, column);
        if (!std::isnan(place))
          cut.branches.at(static_cast<std::size_t>(place))[classes_[each.row]] += each.weight;
      }
    } else {
      find_threshold(cut, held);
    }
    for (const Weights& branch : cut.branches) cut.shares.push_back(sum(branch));
    if (is_equal(sum(cut.shares), 0)) {
      cut.shares.assign(cut.shares.size(), 1.0 / static_cast<double>(cut.shares.size()));
    } else {
      normalize(cut.shares);
    }
    for (const Held& each : held) {
      if (!std::isnan(value(each, column))) continue;
      for (std::size_t i = 0; i < cut.branches.size(); ++i)
        cut.branches[i][classes_[each.row]] += cut.shares[i] * each.weight;
    }
    cut.gain = entropy(cut.branches) - entropy_within(cut.branches);
    return cut;
  }

  void find_threshold(Cut& cut, std::vector<Held>& held) const {
    quicksort(std::span(held), [&](const Held& each) {
      const double number = value(each, cut.column);
      return std::isnan(number) ? std::numeric_limits<double>::max() : number;
    });
    const auto is_missing = [&](const Held& each) { return std::isnan(value(each, cut.column)); };
    const auto known = std::find_if(held.begin(), held.end(), is_missing);
    std::vector<Weights> sides(2, Weights(class_count_, 0));
    for (auto each = held.begin(); each != known; ++each) sides[1][classes_[each->row]] += each->weight;
    const double before = entropy(sides);
    cut.branches = sides;
    double most = -std::numeric_limits<double>::max();
    double last = value(held.front(), cut.column);
    for (auto each = held.begin(); each != known; ++each) {
      const double number = value(*each, cut.column);
      if (number > last) {
        const double gain = before - entropy_within(sides);
        if (gain > most) {
          most = gain;
          cut.at = (number + last) / 2;
          if (cut.at <= last) cut.at = number;
          cut.branches = sides;
        }
        last = number;
      }
      sides[0][classes_[each->row]] += each->weight;
      sides[1][classes_[each->row]] -= each->weight;
    }
  }

  std::vector<std::vector<Held>> dealt_out(const Node& node, const std::vector<Held>& held) const {
    std::vector<std::vector<Held>> parts(node.shares.size());
    for (const Held& each : held) {
      const double number = value(each, node.column);
      if (std::isnan(number)) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
          if (node.shares[i] > 0) parts[i].push_back({each.row, node.shares[i] * each.weight});
        }
      } else if (names_.values(node.column) > 0) {
        parts[static_cast<std::size_t>(number)].push_back(each);
      } else {
        parts[number < node.at ? 0 : 1].push_back(each);
      }
    }
    return parts;
  }

  const Matrix& rows_;
  const std::vector<std::uint32_t>& classes_;
  std::uint32_t class_count_;
  const Names& names_;
  JavaRandom random_{0};
  std::vector<std::size_t> columns_;  ///< in the order that drawing has left
};

class Forest : public Classifier {
 public:
  Forest(const WekaNames& names, std::size_t trees) : names_(names), tree_count_(trees) {}

  void fit(const Matrix& rows, const std::vector<std::uint32_t>& classes,
           std::uint32_t class_count) override {
    class_count_ = class_count;
    trees_.clear();
    Grower grower(rows, classes, class_count, names_);
    JavaRandom random(seed_of_forest);
    for (std::size_t i = 0; i < tree_count_; ++i) {
      std::vector<Held> held = drawn(rows.count(), random);
      trees_.push_back(grower.grow(std::move(held), random.whole()));
    }
  }

  Matrix probabilities(const Matrix& rows) const override {
    Matrix result{class_count_, {}};
    for (std::size_t i = 0; i < rows.count(); ++i) {
      Weights votes(class_count_, 0);
      for (const Node& tree : trees_) {
        const Weights vote = classes_of(tree, rows.row(i));
        for (std::size_t each = 0; each < vote.size(); ++each) votes[each] += vote[each];
      }
      if (!is_equal(sum(votes), 0)) normalize(votes);
      result.add(votes);
    }
    return result;
  }

 private:
  /// As many rows as there are, with replacement, by Walker's alias method where all rows weigh the same.
  static std::vector<Held> drawn(std::size_t rows, JavaRandom& random) {
    const auto count = static_cast<double>(rows);
    const double own = count * (1 / count);  // less than 1 for some counts; the rest is the first row's
    std::vector<Held> held;
    for (std::size_t i = 0; i < rows; ++i) {
      const double place = count * random.unit();
      const auto row = static_cast<std::uint32_t>(place);
      held.push_back({place < own + static_cast<double>(row) ? row : 0});
    }
    return held;
  }

  /// None where no row of what the tree has learned from came that way.
  Weights classes_of(const Node& node, std::span<const double> row) const {
    Weights result;
    if (node.is_cut) {
      const double number = row[node.column];
      if (std::isnan(number)) {
        result.assign(class_count_, 0);
        for (std::size_t i = 0; i < node.branches.size(); ++i) {
          const Weights part = classes_of(node.branches[i], row);
          for (std::size_t each = 0; each < part.size(); ++each) result[each] += node.shares[i] * part[each];
        }
      } else if (names_.values(node.column) > 0) {
        result = classes_of(node.branches.at(static_cast<std::size_t>(number)), row);
      } else {
        result = classes_of(node.branches[number < node.at ? 0 : 1], row);
      }
    }
    if (!result.empty() || node.classes.empty()) return result;
    result = node.classes;
    normalize(result);
    return result;
  }

  Names names_;
  std::size_t tree_count_;
  std::uint32_t class_count_ = 0;
  std::vector<Node> trees_;
};

}  // namespace

bool is_weka_name(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char letter) {
    return letter >= ' ' && letter <= '~' &&
           std::string_view("'\"\\%").find(letter) == std::string_view::npos;
  });
}

std::unique_ptr<Classifier> make_weka_random_forest(WekaNames names, std::size_t trees) {
  return std::make_unique<Forest>(names, trees);
}

}  // namespace hoist::learn
