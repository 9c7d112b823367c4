// Basic blocks, dominators by Cooper, Harvey and Kennedy (A simple, fast dominance algorithm, 2001), and the
// natural loops of back edges. A block that no edge leads to, such as one that only a jump table names, is
// entered from outside like the function's first one.
#include "assembly/loops.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace hoist::assembly {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

bool is_jump(const Instruction& instruction) { return instruction.mnemonic.starts_with('j'); }
bool falls_through(const Instruction& instruction) {
  const std::string& name = instruction.mnemonic;
  return !name.starts_with("jmp") && !name.starts_with("ret") && name != "ud2" && name != "hlt";
}

/// The index of the instruction that a jump goes to, where that is in this function.
std::optional<std::size_t> target_of(const Instruction& jump, const Function& function) {
  if (jump.operands.size() != 1) return std::nullopt;
  const auto found = function.labels.find(jump.operands[0].text);
  if (found == function.labels.end() || found->second >= function.instructions.size()) return std::nullopt;
  return found->second;
}

struct NaturalLoop {
  std::size_t header;
  std::set<std::size_t> body;  ///< blocks, the header included

  /// Whether another loop lies in this one.
  bool holds(const NaturalLoop& other) const {
    if (header == other.header) return other.body.size() < body.size();
    return body.contains(other.header);
  }
};

/// Blocks by number; the number behind the last block is that of an entry to the whole.
class FlowGraph {
 public:
  explicit FlowGraph(const Function& function) : function_(function) {
    make_blocks();
    make_edges();
    order_blocks();
    find_dominators();
  }

  std::size_t blocks() const { return begins_.size(); }
  std::size_t begin(std::size_t block) const { return begins_[block]; }
  std::size_t end(std::size_t block) const {
    return block + 1 < blocks() ? begins_[block + 1] : function_.instructions.size();
  }

  std::vector<NaturalLoop> natural_loops() const {
    std::vector<NaturalLoop> loops;
    std::vector<std::vector<std::size_t>> back_edges(blocks());
    for (std::size_t source = 0; source < blocks(); ++source) {
      for (std::size_t target : successors_[source]) {
        if (dominates(target, source)) back_edges[target].push_back(source);
      }
    }
    for (std::size_t header = 0; header < blocks(); ++header) {
      std::vector<std::set<std::size_t>> bodies;
      for (std::size_t source : back_edges[header]) bodies.push_back(body_of(header, source));
      for (std::set<std::size_t>& body : nested(std::move(bodies)))
        loops.push_back({header, std::move(body)});
    }
    return loops;
  }

 private:
  void make_blocks() {
    std::set<std::size_t> begins{0};
    for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
      const Instruction& instruction = function_.instructions[i];
      if (!is_jump(instruction) && falls_through(instruction)) continue;
      if (const auto target = target_of(instruction, function_)) begins.insert(*target);
      if (i + 1 < function_.instructions.size()) begins.insert(i + 1);
    }
    begins_.assign(begins.begin(), begins.end());
  }

  /// The blocks from which a back edge is reached without passing its header.
  std::set<std::size_t> body_of(std::size_t header, std::size_t source) const {
    std::set<std::size_t> body{header};
    std::vector<std::size_t> open{source};
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (!body.insert(block).second) continue;
      open.insert(open.end(), predecessors_[block].begin(), predecessors_[block].end());
    }
    return body;
  }

  /// Joins bodies of which neither holds the other; from the smallest to the largest.
  static std::vector<std::set<std::size_t>> nested(std::vector<std::set<std::size_t>> bodies) {
    std::sort(bodies.begin(), bodies.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    std::vector<std::set<std::size_t>> result;
    for (std::set<std::size_t>& body : bodies) {
      const bool holds_last = result.empty() || std::includes(body.begin(), body.end(), result.back().begin(),
                                                              result.back().end());
      if (holds_last && (result.empty() || body.size() > result.back().size())) {
        result.push_back(std::move(body));
      } else {
        result.back().merge(body);
      }
    }
    return result;
  }

  void make_edges() {
    successors_.resize(blocks() + 1);
    for (std::size_t block = 0; block < blocks(); ++block) {
      const Instruction& last = function_.instructions[end(block) - 1];
      if (falls_through(last) && block + 1 < blocks()) successors_[block].push_back(block + 1);
      if (!is_jump(last)) continue;
      if (const auto target = target_of(last, function_)) {
        const auto found = std::lower_bound(begins_.begin(), begins_.end(), *target);
        successors_[block].push_back(static_cast<std::size_t>(found - begins_.begin()));
      }
    }
  }

  /// Depth first from `root`; appends blocks when all that follows them is done.
  void visit(std::size_t root, std::vector<bool>& visited, std::vector<std::size_t>& postorder) const {
    std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};
    visited[root] = true;
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next == successors_[block].size()) {
        postorder.push_back(block);
        path.pop_back();
        continue;
      }
      const std::size_t following = successors_[block][next++];
      if (visited[following]) continue;
      visited[following] = true;
      path.emplace_back(following, 0);
    }
  }

  void order_blocks() {
    const std::size_t entry = blocks();
    std::vector<bool> visited(blocks() + 1);
    std::vector<std::size_t> postorder;
    for (std::size_t block = 0; block < blocks(); ++block) {
      if (visited[block]) continue;
      successors_[entry].push_back(block);
      visit(block, visited, postorder);
    }
    postorder.push_back(entry);
    order_.assign(postorder.rbegin(), postorder.rend());
    position_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
    predecessors_.resize(blocks() + 1);
    for (std::size_t block = 0; block <= blocks(); ++block) {
      for (std::size_t following : successors_[block]) predecessors_[following].push_back(block);
    }
  }

  void find_dominators() {
    dominator_.assign(blocks() + 1, none);
    dominator_[blocks()] = blocks();
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 1; i < order_.size(); ++i) {
        const std::size_t block = order_[i];
        std::size_t common = none;
        for (std::size_t before : predecessors_[block]) {
          if (dominator_[before] == none) continue;
          common = common == none ? before : intersection(common, before);
        }
        if (common == dominator_[block]) continue;
        dominator_[block] = common;
        changed = true;
      }
    }
  }

  std::size_t intersection(std::size_t a, std::size_t b) const {
    while (a != b) {
      while (position_[a] > position_[b]) a = dominator_[a];
      while (position_[b] > position_[a]) b = dominator_[b];
    }
    return a;
  }

  bool dominates(std::size_t above, std::size_t block) const {
    while (position_[block] > position_[above]) block = dominator_[block];
    return block == above;
  }

  const Function& function_;
  std::vector<std::size_t> begins_;
  std::vector<std::vector<std::size_t>> successors_, predecessors_;
  std::vector<std::size_t> order_, position_;  ///< reverse postorder, and where in it a block is
  std::vector<std::size_t> dominator_;         ///< immediate ones
};

}  // namespace

std::vector<Loop> loops_of(const Function& function) {
  if (function.instructions.empty()) return {};
  const FlowGraph graph(function);
  std::vector<NaturalLoop> loops = graph.natural_loops();
  std::stable_sort(loops.begin(), loops.end(),
                   [](const auto& a, const auto& b) { return a.body.size() < b.body.size(); });
  std::vector<bool> is_inside(graph.blocks());
  std::vector<Loop> result;
  for (const NaturalLoop& natural : loops) {
    Loop loop;
    loop.depth += static_cast<std::size_t>(
        std::count_if(loops.begin(), loops.end(), [&](const auto& other) { return other.holds(natural); }));
    std::vector<std::size_t> blocks(natural.body.begin(), natural.body.end());
    std::rotate(blocks.begin(), std::find(blocks.begin(), blocks.end(), natural.header), blocks.end());
    for (std::size_t block : blocks) {
      if (is_inside[block]) continue;
      is_inside[block] = true;
      for (std::size_t i = graph.begin(block); i < graph.end(block); ++i) loop.instructions.push_back(i);
    }
    if (!loop.instructions.empty()) result.push_back(std::move(loop));
  }
  return result;
}

}  // namespace hoist::assembly
