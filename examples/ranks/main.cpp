// Heat that spreads over a plate, of which each rank has some rows.
//
//   mpirun -n 4 heat_on_ranks [DEVICE]     (as `hoist devices` lists them; otherwise the host)
#include <cstdio>
#include <hoist/mpi.hpp>
#include <stdexcept>

namespace {

constexpr int height = 256, width = 320, steps = 100;

constexpr const char* text = R"(
def step(u: [H][W]f32): [H][W]f32 =
  u |> pad2(1, 1, clamp) |> slide2(3, 1)
    |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))
)";

void run(const char* device_id) {
  const hoist::Communicator ranks = hoist::communicator(MPI_COMM_WORLD).value();
  // Where one rank has no device, all hear of it, and none waits.
  const auto device = hoist::Device::open(device_id);
  ranks.agree(device ? std::nullopt : std::optional(device.error())).value();
  hoist::Compiled spread = compile(hoist::Program::parse(text).value(),
                                   hoist::Ranks{.communicator = ranks, .device = *device, .steps = steps},
                                   {{"H", height}, {"W", width}})
                               .value();
  // A cold plate with a hot spot, which is in the rows of one rank.
  const hoist::Part rows = spread.input_parts().front();
  std::vector<float> plate(static_cast<std::size_t>(rows.rows) * width, 0.0f), after(plate.size());
  if (rows.first <= height / 2 && height / 2 < rows.first + rows.rows)
    plate[static_cast<std::size_t>(height / 2 - rows.first) * width + width / 2] = 1000.0f;
  const hoist::RunTimes times = spread.run({plate}, {after}).value();
  // No heat has reached the edges, so none is lost.
  double heat = 0, all = 0;
  for (const float each : after) heat += each;
  MPI_Reduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (ranks.rank() != 0) return;
  std::printf("%d steps on %d ranks in %.3g ms\n", steps, ranks.size(), times.all * 1e3);
  std::printf("heat: %.1f\n", all);
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  try {
    run(count > 1 ? arguments[1] : "host");
  } catch (const std::exception& failure) {
    // Errors are those of all ranks, so all leave.
    std::fprintf(stderr, "heat_on_ranks: %s\n", failure.what());
    MPI_Finalize();
    return 1;
  }
  MPI_Finalize();
  return 0;
}
