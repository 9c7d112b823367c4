// Heat that spreads over a plate: Jacobi steps on a device, with the plate kept there from step to step.
//
//   heat [DEVICE]     (as `hoist devices` lists them; otherwise the first GPU, or else the first device)
#include <cmath>
#include <cstdio>
#include <hoist/hoist.hpp>

namespace {

constexpr int height = 256, width = 320, steps = 100;

// One step, as text. `pad2` says what is beyond the edges, `slide2` makes a 3 x 3 window of every element's
// neighbours.
constexpr const char* text = R"(
def step(u: [H][W]f32): [H][W]f32 =
  u |> pad2(1, 1, clamp) |> slide2(3, 1)
    |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))
)";

// The difference between two plates, squared and summed, built in C++ instead.
hoist::Result<hoist::Program> difference() {
  hoist::Builder program("difference");
  const hoist::Size h = program.size("H"), w = program.size("W");
  const hoist::Value u = program.input("u", array({h, w}, hoist::f32));
  const hoist::Value v = program.input("v", array({h, w}, hoist::f32));
  auto squared = [](hoist::Value a, hoist::Value b) { return (a - b) * (a - b); };
  return program.returns(reduce("+", 0.0f, map(squared, zip(join(u), join(v)))));
}

// Errors are values: each step is checked by whoever called it. value() throws them, which is enough here.
void run(const std::string& device_id) {
  const hoist::Device device = hoist::Device::open(device_id).value();
  std::printf("on %s (%s)\n", device.facts().id.c_str(), device.facts().name.c_str());

  const hoist::Sizes sizes{{"H", height}, {"W", width}};
  hoist::Compiled step = compile(hoist::Program::parse(text).value(), device, sizes).value();
  hoist::Compiled change = compile(difference().value(), device, sizes).value();

  // A cold plate with a hot spot. The two buffers stay on the device and exchange their roles after each
  // step.
  std::vector<float> plate(height * width, 0.0f);
  plate[height / 2 * width + width / 2] = 1000.0f;
  hoist::Buffer now = hoist::Buffer::from<float>(device, plate).value();
  hoist::Buffer next = hoist::Buffer::allocate(device, hoist::f32, plate.size()).value();
  double seconds = 0;
  for (int i = 0; i < steps; ++i) {
    seconds += step.run({now}, {next}).value().kernels;
    std::swap(now, next);
  }
  std::printf("%d steps of %d x %d in %.3g ms\n", steps, height, width, seconds * 1e3);

  // Inputs on the device, the output on the host: what is small may travel.
  std::vector<float> last_change(1);
  change.run({now, next}, {last_change}).value();
  std::printf("the last step changed the plate by %.3g\n", std::sqrt(last_change[0]));

  // No heat has reached the edges, so none is lost.
  now.download(plate).value();
  double heat = 0;
  for (const float each : plate) heat += each;
  std::printf("heat: %.1f\n", heat);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
