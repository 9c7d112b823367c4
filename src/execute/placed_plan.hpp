#pragma once
// A program cut into tasks that are placed on several memories: devices of one process, or ranks. Each has
// its own copy of every array, of which it holds the parts that its tasks read and write; what another place
// has written moves to it when a task reads it.
//
// Example. Of a stencil of 5 points on 8 rows, on two places in steps, each place has a task for the border
// to its neighbour, and one for the rest:
//
//   place 0: rows 0 1 2 | 3          place 1: rows 4 | 5 6 7
//
//   step 0   place 0: upload rows 0-4 of u; launch row 3; send row 3; launch rows 0 1 2
//            place 1: upload rows 3-7 of u; launch row 4; send row 4; launch rows 5 6 7
//   step 1   place 0: receive row 4; launch row 3; send row 3; ...
//
// A place may run its nodes one after the other, in the order of the list. Only a receive waits for another
// place, for its send, which stands before it in the list of all: so nobody waits in a circle. A send stands
// directly behind what wrote its range, in the step before if need be, so that what neighbours wait for
// moves while the inner rows are computed. Nothing that its place lists between a send and its receive writes
// the range.
//
// In a grid places have rectangles, and a task for each of the four borders: what lies beside each other in
// rows moves in one piece, whatever lies between the rows.
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "execute/launch_plan.hpp"
#include "runtime/queue.hpp"
#include "tasks/cut.hpp"
#include "tasks/region.hpp"

namespace hoist::execute {

/// Places in rows, one row behind the other.
struct PlaceGrid {
  std::size_t rows = 1, columns = 1;
};

struct PlaceOptions {
  /// How large the parts of places are beside each other, a number for each place.
  std::vector<double> weights;
  /// As StreamOptions have them.
  std::size_t steps = 1;
  std::size_t fed = 0;
  /// Where two loops are to be cut: rows of places along the outer one, as large beside each other as their
  /// places together, and in each row its places along the inner one.
  std::optional<PlaceGrid> grid = std::nullopt;
};

/// What one place does in one step.
struct PlacedNode {
  /// Bytes of an array's memory at the node's place, which is that of the whole array.
  struct Range {
    std::size_t array;  ///< of the launch plan
    runtime::Rows rows;
  };
  /// The same bytes of a flattened input.
  struct Upload {
    std::size_t input;
    Range to;
  };
  /// A copy or a repetition: which of the plan's steps. The host runs a repetition.
  struct Step {
    std::size_t step;
  };
  struct Send {
    std::size_t transfer;  ///< its number: the receive that it belongs to has the same one
    std::size_t to;        ///< place
    Range from;
  };
  struct Receive {
    std::size_t transfer;
    std::size_t from;  ///< place
    Range to;
  };
  /// The same bytes of a flattened output.
  struct Download {
    std::size_t output;
    Range from;
  };
  /// What it reads and writes of a shared array at its place, in elements.
  struct Touch {
    std::size_t array;
    tasks::Region read, written;
  };

  std::size_t place;
  std::variant<Upload, TaskLaunch, Step, Send, Receive, Download> work;
  std::vector<Touch> touches = {};
};

/// Holds no expression, so it outlives the arena that it was made in.
struct PlacedPlan {
  struct Array {
    std::size_t width = 1;              ///< bytes of an element
    std::int64_t elements = 0;          ///< of the whole array
    std::optional<std::size_t> input;   ///< which flattened input it is
    std::optional<std::size_t> output;  ///< which flattened output
    /// Whether parts of it may move between places. What a task keeps to itself never does.
    bool is_shared = false;
    std::int64_t row_length = 1;  ///< elements of the rows that it is seen as
    tasks::Region whole() const { return {{0, elements / row_length}, {0, row_length}}; }
  };
  using Touch = PlacedNode::Touch;
  struct Work {
    std::size_t place;
    std::variant<TaskLaunch, PlacedNode::Step> work;
    std::vector<Touch> touches;
  };
  /// A result that is an input of the next step: both exchange their memory after each.
  struct Fed {
    std::size_t input_array, output_array;
  };

  LaunchPlan launch;                      ///< of the cut plan; arrays of inputs and outputs are whole
  std::vector<Array> arrays;              ///< by array of the launch plan
  std::vector<std::vector<Work>> phases;  ///< of a step, each in the order in which work is given
  std::vector<Fed> fed;
  std::size_t places = 1, tasks = 1, steps = 1;
  std::size_t program_inputs = 0;  ///< flattened ones of the program: further ones are numbers of tasks
  std::vector<std::string> notes;  ///< kernels that are not cut, and why
  /// Kernels whose floats are added up by one place after the other. A compiler may add up the elements of
  /// each part side by side, so last places may differ from those of one device; they follow from the cut
  /// alone. All else is equal to the bit.
  std::vector<std::string> handed_on;

  /// Whether the parts of places have borders that are computed first, and how much is between two of them.
  bool has_borders() const { return tasks > places; }
  double inner_share() const {
    const double side = 1 - 2 * border_share;
    return tasks_of_place() > tasks_of_row ? side * side : side;
  }
  /// How much of a place's part lies at each of its borders.
  static constexpr double border_share = 0.125;
  /// Of a place with borders, cut along one loop and along two. The one in the middle is what lies between.
  static constexpr std::size_t tasks_of_row = 3, tasks_of_grid = 5;
  std::size_t tasks_of_place() const { return tasks / places; }
  bool is_inner(std::size_t task) const {
    return has_borders() && task % tasks_of_place() == tasks_of_place() / 2;
  }

  PlacedNode::Range range(std::size_t array, const tasks::Region& elements) const;
};

/// A plan as tasks on places, and the plan of the loop IR that its kernels are printed from.
struct Placed {
  tasks::Cut cut;
  PlacedPlan plan;
};

/// Cuts a plan whose sizes are numbers, and places its tasks. What cannot be cut runs at place 0. User
/// errors: a plan that cannot be cut into as many parts, or into a grid; more places than iterations.
Result<Placed> placed_plan(const loop::Plan& plan, const PlaceOptions& options);

/// Lists what all places do, step after step: the same list whoever asks, which is why ranks need not speak
/// about it. The plan outlives it.
class PlacedSteps {
 public:
  explicit PlacedSteps(const PlacedPlan& plan);

  /// The nodes of the next step, those of all places, in an order in which they may run; nothing after the
  /// last. Behind each but the last one, inputs and results that are fed exchange their memory.
  std::optional<std::vector<PlacedNode>> next();

 private:
  /// The nodes of a step, and by array and place those that write.
  struct List {
    std::list<PlacedNode> nodes;
    std::vector<std::vector<std::list<PlacedNode>::iterator>> writers;
  };

  List empty_list() const;
  void list_step();
  void begin_step();
  void push(PlacedNode node);
  void add(const PlacedPlan::Work& work);
  void note_demands(const std::vector<PlacedPlan::Work>& phase);
  std::vector<tasks::Region> lacking(std::size_t place, std::size_t array, const tasks::Region& wanted) const;
  void bring(std::size_t place, std::size_t array, const tasks::Region& wanted);
  void keep_others(std::size_t place, std::size_t array, const tasks::Region& written);
  void move(std::size_t from, std::size_t to, std::size_t array, const tasks::Region& part);
  void insert_sends(List& list, std::list<PlacedNode>::iterator at, std::size_t from, std::size_t to,
                    std::size_t array, const std::vector<tasks::Region>& pieces);
  void note_written(std::size_t place, const PlacedPlan::Touch& touch);
  void add_downloads();
  bool is_from_host(std::size_t array) const;

  const PlacedPlan& plan_;
  std::size_t step_ = 0;       ///< the one that is listed next
  std::size_t phase_ = 0;      ///< of it, that is being listed
  std::size_t transfers_ = 0;  ///< so far
  List before_, current_;      ///< the step before it, and itself
  /// By array and place: which elements the place holds; of these, which it was the last to write, and which
  /// it has written in this phase.
  std::vector<std::vector<tasks::RegionSet>> held_, written_, fresh_;
  /// By phase, array and place: what lies in rows and is read there.
  std::vector<std::vector<tasks::RegionSet>> demands_;
};

}  // namespace hoist::execute
