// An application that calls programs on the ranks of its communicator: test_api.py starts it.
//
//   on_ranks without_mpi         what is said before MPI_Init, and after MPI_Finalize
//   mpirun -n N on_ranks right   results on N ranks against those of one device
//   mpirun -n N on_ranks wrong   errors that one rank makes: all have them, and can go on
//
// Every rank that ends well prints "rank R: done", one that finds something else what it found.
#include <hoist/mpi.hpp>
#include <iostream>

namespace {

using Numbers = std::vector<std::int32_t>;

const char* const stencil =
    "def smooth(u: [H][W]i32): [H][W]i32 =\n"
    "  u |> pad2(1, 1, wrap) |> slide2(3, 1) |> map2(n => (n[0][1] + n[1][0] + 2 * n[1][1] + n[1][2] + "
    "n[2][1]) % 1009)\n";
const char* const product =
    "def product(A: [M][K]i32, B: [K][N]i32): [M][N]i32 = A |> map(r => B |> transpose |> map(c => zip(r, c)"
    " |> map((a, b) => a * b) |> reduce(+, 0)))\n";
const char* const total =
    "def total(a: i32, x: [N]i32, y: [N]i32): (i32, [N]i32) =\n"
    "  (zip(x, y) |> map((e, f) => a * e * f) |> reduce(+, 0), x |> map(e => e + a))\n";
const char* const columns =
    "def columns(A: [M][N]i32, x: [M]i32): [N]i32 = A |> transpose |> map(c => zip(c, x) |> map((a, b) => a "
    "* b)"
    " |> reduce(+, 0))\n";
const char* const pick = "def pick(x: [N]i32, at: [M]i32): [M]i32 = at |> map(i => x[i])\n";

int rank = 0, size = 1;
bool is_well = true;

void fault(const std::string& what) {
  std::cout << "rank " << rank << ": " << what << std::endl;
  is_well = false;
}

Numbers numbers(std::size_t count, int seed) {
  Numbers result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<std::int32_t>((i * i + 3 * i * seed) % 97);
  return result;
}

hoist::Program program_of(const char* text) { return hoist::Program::parse(text).value(); }

std::size_t width_of(const hoist::ArrayFacts& array) {
  return array.shape.empty() ? 1 : array.elements / static_cast<std::size_t>(array.shape.front());
}

/// The rows that this rank has of an array.
Numbers part_of(const Numbers& all, const hoist::ArrayFacts& array, const hoist::Part& part) {
  const auto width = static_cast<std::ptrdiff_t>(width_of(array));
  return {all.begin() + part.first * width, all.begin() + (part.first + part.rows) * width};
}

/// Compares a run on all ranks, spread either way, with runs on one device.
void expect_same(const char* text, const hoist::Communicator& ranks, const hoist::Device& device,
                 const hoist::Sizes& sizes, std::size_t steps, double share,
                 std::optional<std::int32_t> number, const hoist::PlaceGrid& grid = {}) {
  const hoist::Program program = program_of(text);
  hoist::Compiled one = compile(program, device, sizes).value();
  std::vector<Numbers> inputs, expected;
  for (std::size_t i = 0; i < one.inputs().size(); ++i)
    inputs.push_back(numbers(one.inputs()[i].elements, static_cast<int>(i)));
  for (const hoist::ArrayFacts& each : one.outputs()) expected.emplace_back(each.elements);
  const auto given = [&](const std::vector<Numbers>& arrays, const hoist::Compiled& to) {
    std::vector<hoist::Input> result;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (to.inputs()[i].shape.empty())
        result.emplace_back(*number);
      else
        result.emplace_back(arrays[i]);
    }
    return result;
  };
  const auto taken = [](std::vector<Numbers>& arrays) {
    return std::vector<hoist::Output>(arrays.begin(), arrays.end());
  };
  std::vector<Numbers> now = inputs;
  for (std::size_t step = 0; step < steps; ++step) {
    one.run(given(now, one), taken(expected)).value();
    if (step + 1 < steps) now[0] = expected[0];
  }
  for (const hoist::Spread spread : {hoist::Spread::Parts, hoist::Spread::Whole}) {
    hoist::Compiled many = compile(program,
                                   hoist::Ranks{.communicator = ranks,
                                                .device = device,
                                                .spread = spread,
                                                .share = share,
                                                .steps = steps,
                                                .feed = {},
                                                .grid = grid},
                                   sizes)
                               .value();
    const bool has_parts = spread == hoist::Spread::Parts;
    std::vector<Numbers> mine, wanted, got;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      mine.push_back(part_of(inputs[i], many.inputs()[i], many.input_parts()[i]));
    for (std::size_t i = 0; i < expected.size() && (has_parts || rank == 0); ++i)
      wanted.push_back(part_of(expected[i], many.outputs()[i], many.output_parts()[i]));
    for (int run = 0; run < 2; ++run) {
      got.clear();
      for (const Numbers& each : wanted) got.emplace_back(each.size());
      many.run(given(mine, many), taken(got)).value();
      if (got != wanted) fault(program.name() + (has_parts ? " in parts" : " whole") + " is wrong");
    }
  }
}

void right(const hoist::Communicator& ranks, const std::string& id) {
  const hoist::Device device = hoist::Device::open(id).value();
  for (const double share : {1.0, 1.0 + rank}) {
    expect_same(stencil, ranks, device, {{"H", 23}, {"W", 7}}, 1, share, {});
    expect_same(stencil, ranks, device, {{"H", 31}, {"W", 5}}, 4, share, {});
    expect_same(product, ranks, device, {{"M", 17}, {"K", 5}, {"N", 9}}, 1, share, {});
    expect_same(total, ranks, device, {{"N", 1003}}, 1, share, 3);
    expect_same(columns, ranks, device, {{"M", 13}, {"N", 29}}, 1, share, {});
    expect_same(pick, ranks, device, {{"N", 97}, {"M", 40}}, 1, share, {});
    const auto all = static_cast<std::size_t>(size);
    const hoist::PlaceGrid grid = all == 4 ? hoist::PlaceGrid{2, 2} : hoist::PlaceGrid{1, all};
    expect_same(stencil, ranks, device, {{"H", 23}, {"W", 17}}, 1, share, {}, grid);
    expect_same(stencil, ranks, device, {{"H", 31}, {"W", 19}}, 4, share, {}, grid);
    expect_same(product, ranks, device, {{"M", 17}, {"K", 5}, {"N", 9}}, 1, share, {}, grid);
  }
}

/// That all ranks have an error that says this.
template <class T>
void expect_error(const hoist::Result<T>& result, const std::string& says) {
  if (result) return fault("no error says: " + says);
  if (result.error().text().find(says) == std::string::npos)
    fault("'" + result.error().text() + "' does not say: " + says);
}

void wrong(const hoist::Communicator& ranks) {
  const hoist::Device device = hoist::Device::open("host").value();
  const hoist::Program smooth = program_of(stencil);
  const hoist::Ranks all{.communicator = ranks, .device = device};
  const bool is_last = rank == size - 1;
  // While programs are compiled.
  expect_error(compile(smooth, all, {{"H", 2}, {"W", 8}}),
               "smooth cannot be cut into " + std::to_string(size) + " parts");
  expect_error(compile(smooth, all, {{"H", is_last ? 31 : 32}, {"W", 8}}),
               "has another program, or other sizes, than rank 0");
  expect_error(compile(is_last ? program_of(product) : smooth, all, {{"H", 32}, {"W", 8}}),
               "the program has no size or tuning parameter");
  hoist::Ranks steps = all;
  steps.steps = is_last ? 2 : 1;
  expect_error(compile(smooth, steps, {{"H", 32}, {"W", 8}}), "other steps");
  hoist::Ranks share = all;
  share.share = is_last ? 0 : 1;
  expect_error(compile(smooth, share, {{"H", 32}, {"W", 8}}), "0 is no share");
  if (const auto other = hoist::Device::open("opencl:0")) {
    hoist::Ranks languages = all;
    if (is_last) languages.device = *other;
    expect_error(compile(smooth, languages, {{"H", 32}, {"W", 8}}),
                 "a device with another language than rank 0");
  }
  // While they run; what is right afterwards is right.
  hoist::Compiled compiled = compile(smooth, all, {{"H", 32}, {"W", 8}}).value();
  const std::size_t elements = static_cast<std::size_t>(compiled.input_parts()[0].rows) * 8;
  Numbers u(elements, 1), result(elements), small(elements - 8);
  expect_error(compiled.run({is_last ? small : u}, {result}),
               (is_last ? "" : "rank " + std::to_string(size - 1) + " of " + std::to_string(size) + ": ") +
                   "the input u is [");
  expect_error(compiled.run({std::vector<float>(elements)}, {result}), "but elements of f32 were given");
  expect_error(compiled.run({u}, is_last ? std::vector<hoist::Output>{} : std::vector<hoist::Output>{result}),
               "the program has 1 output, but 0 were given");
  compiled.run({u}, {result}).value();
  if (result != Numbers(elements, 6)) fault("what is run after an error is wrong");
  hoist::Compiled sum = compile(program_of(total), all, {{"N", 64}}).value();
  Numbers x(static_cast<std::size_t>(sum.input_parts()[1].rows), 1), one(1), y(x.size());
  expect_error(sum.run({is_last ? 4 : 3, x, x}, {one, y}), "has other numbers than rank 0");
  sum.run({3, x, x}, {one, y}).value();
  if (one[0] != 3 * 64) fault("a number of the result is wrong at this rank");
  hoist::Compiled index = compile(program_of(pick), all, {{"N", 60}, {"M", 60}}).value();
  Numbers from(static_cast<std::size_t>(index.input_parts()[0].rows), 7), at(from.size(), 59),
      picked(from.size());
  if (is_last) at.back() = 60;
  expect_error(index.run({from, at}, {picked}), "an index was outside its array");
  at.back() = 0;
  index.run({from, at}, {picked}).value();
  if (picked != Numbers(from.size(), 7)) fault("what is run after a fault is wrong");
  // Communicators.
  expect_error(hoist::communicator(MPI_COMM_NULL), "the communicator is MPI_COMM_NULL");
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &between);
  expect_error(hoist::communicator(between), "the communicator is one between two groups");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  const int number = MPI_Comm_c2f(MPI_COMM_WORLD);
  expect_error(hoist::Communicator::of_number(number, "MPICH Version: 4.0"),
               "the communicator is one of MPICH Version: 4.0, but libhoist-mpi.so was built with");
  const hoist::Communicator by_number = hoist::Communicator::of_number(number, ranks.library()).value();
  if (by_number.rank() != rank || by_number.size() != size)
    fault("a communicator by its number has other ranks");
}

void without_mpi(int& count, char**& arguments) {
  expect_error(hoist::communicator(MPI_COMM_WORLD), "MPI does not run: call MPI_Init first");
  expect_error(hoist::Communicator::of_number(0, hoist::by_mpi::library()),
               "MPI does not run: call MPI_Init first");
  MPI_Init(&count, &arguments);
  std::optional<hoist::Communicator> ranks = hoist::communicator(MPI_COMM_WORLD).value();
  expect_same(stencil, *ranks, hoist::Device::open("host").value(), {{"H", 9}, {"W", 8}}, 3, 1, {});
  MPI_Finalize();
  ranks.reset();
  expect_error(hoist::communicator(MPI_COMM_WORLD), "MPI has been ended");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "without_mpi") {
    without_mpi(count, arguments);
  } else {
    MPI_Init(&count, &arguments);
    {
      const hoist::Communicator ranks = hoist::communicator(MPI_COMM_WORLD).value();
      rank = ranks.rank();
      size = ranks.size();
      if (what == "right") right(ranks, count > 2 ? arguments[2] : "host");
      if (what == "wrong") wrong(ranks);
    }
    MPI_Finalize();
  }
  if (is_well) std::cout << "rank " << rank << ": done" << std::endl;
  return is_well ? 0 : 1;
}
