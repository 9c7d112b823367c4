// Calls of programs from Python.
//
// Read `Step::call` first. `prepare` reads the arguments while the interpreter's lock is held, and opens the
// device; `variant_for` finds what was compiled for these sizes on it, or compiles; Outputs (outputs.hpp)
// says where the results go; a `Run` then carries out the call without the interpreter's lock, but with the
// device's (OpenDevice::use), so that other threads of Python go on meanwhile.
//
// With `devices` or `ranks` a call goes another way, `call_on_places`: what is compiled has the steps in it.
//
// With `steps`, Run::run_steps calls the program again on its own results, which stay on the device between
// two sets of buffers. It asks now and then whether the user has interrupted.

#include "python/step.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "python/outputs.hpp"

namespace hoist::python {

namespace {

constexpr std::size_t most_variants = 16;  // kept of a program: each has memory on its device

const std::vector<std::string>& options_of_calls() {
  static const auto* const names = new std::vector<std::string>{
      "steps", "feed", "out", "device", "devices", "shares", "grid", "ranks", "wait"};
  return *names;
}

py::object option(const Prepared& prepared, const std::string& name) {
  const auto found = prepared.options.find(name);
  return found == prepared.options.end() ? py::none() : found->second;
}

std::string text_option(const std::map<std::string, py::object>& options, const std::string& name) {
  const auto found = options.find(name);
  if (found == options.end() || found->second.is_none()) return {};
  // One of hoist.devices().
  if (name == "device" && py::hasattr(found->second, "id")) return text_of(found->second.attr("id"));
  if (!py::isinstance<py::str>(found->second))
    raise_user(name + " is a text, but " + py::repr(found->second).cast<std::string>() + " was given");
  return utf8_of(found->second);
}

/// Appends numbers to a key.
void add_to(std::string& key, const std::vector<std::int64_t>& numbers) {
  key += std::to_string(numbers.size());
  key.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int64_t));
}

/// In what order a call is with the streams of other libraries whose arrays it was given.
struct Order {
  std::vector<std::uintptr_t> streams;  ///< each once, in the order of the arrays
  /// Whether nobody needs to wait for its end: all arrays are on the device, and their owners go on with them
  /// on these streams.
  bool can_start = true;

  /// A call that is started runs on the first of them.
  StartOrder of_start() const {
    if (streams.empty()) return {};
    return {streams.front(), {streams.begin() + 1, streams.end()}};
  }
};

/// The interpreter's lock is held.
Order order_of(const Prepared& prepared, const Outputs& outputs) {
  Order order;
  const auto see = [&](const ForeignArray& array) {
    order.can_start &= array.is_owners_stream;
    if (array.stream && std::ranges::find(order.streams, *array.stream) == order.streams.end())
      order.streams.push_back(*array.stream);
  };
  for (const Given& each : prepared.given) {
    if (each.foreign) see(*each.foreign);
    order.can_start &= each.foreign || each.on_device || each.is_number;
  }
  for (const ForeignArray* each : outputs.foreign()) see(*each);
  order.can_start &= outputs.are_on_device();
  return order;
}

/// Has what the device is given by itself wait for these streams. It is this thread's.
Result<void> follow(const OpenDevice& device, const Order& order) {
  for (const std::uintptr_t stream : order.streams) {
    if (auto followed = device.device().follow(stream); !followed) return followed;
  }
  return {};
}

/// The runs of a call, which need no lock of the interpreter's.
class Run {
 public:
  /// With an order nobody waits for their end.
  Run(const Prepared& prepared, Compiled& compiled, std::optional<StartOrder> order)
      : prepared_(prepared), compiled_(compiled), order_(std::move(order)) {}

  /// Runs `steps` times, each but the first on the results of the one before as inputs from `fed` on. The
  /// device is this thread's.
  Result<void> run(std::size_t steps, std::size_t fed, const std::vector<Output>& last) {
    return steps == 1 ? run_once(prepared_.inputs, last) : run_steps(steps, fed, last);
  }

  /// NaN where nobody waited for them.
  double kernel_seconds() const {
    return order_ ? std::numeric_limits<double>::quiet_NaN() : kernel_seconds_;
  }
  /// Whether the user interrupted; Python's error is set then.
  bool is_interrupted() const { return is_interrupted_; }

 private:
  Result<Buffer> allocate(std::size_t output) const {
    const ArrayFacts& facts = compiled_.outputs()[output];
    return prepared_.device->allocate(facts.scalar, facts.elements);
  }

  Result<void> run_once(const std::vector<Input>& inputs, const std::vector<Output>& outputs) {
    if (order_) return compiled_.start(inputs, outputs, *order_);
    auto times = compiled_.run(inputs, outputs);
    if (!times) return times.error();
    kernel_seconds_ += times->kernels;
    return {};
  }

  /// Inputs of which each step reads the same are put on a device that cannot read the host's memory.
  Result<std::vector<Input>> kept_inputs(std::size_t fed) const {
    std::vector<Input> inputs = prepared_.inputs;
    if (prepared_.device->is_processor()) return inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Given& given = prepared_.given[i];
      const bool is_fed = i >= fed && i < fed + compiled_.outputs().size();
      if (is_fed || given.is_number || given.memory == nullptr) continue;
      auto buffer = with_type_of(given.scalar, [&]<class T>(std::type_identity<T>) {
        return Buffer::from<T>(prepared_.device->device(),
                               {static_cast<const T*>(given.memory), compiled_.inputs()[i].elements});
      });
      if (!buffer) return buffer.error();
      inputs[i] = Input(*buffer, given.shape);
    }
    return inputs;
  }

  Result<void> run_steps(std::size_t steps, std::size_t fed, const std::vector<Output>& last) {
    auto inputs = kept_inputs(fed);
    if (!inputs) return inputs.error();
    // Results of the steps but the last, in turn.
    struct Sets {
      OpenDevice& device;
      std::array<std::vector<Buffer>, 2> buffers;
      ~Sets() {
        for (std::vector<Buffer>& set : buffers) {
          for (Buffer& each : set) device.put_back(std::move(each));
        }
      }
    } sets{*prepared_.device, {}};
    auto asked = std::chrono::steady_clock::now();
    for (std::size_t step = 0; step < steps; ++step) {
      if (step + 1 == steps) return run_once(*inputs, last);
      std::vector<Buffer>& own = sets.buffers[step % 2];
      for (std::size_t i = own.size(); i < last.size(); ++i) {
        auto buffer = allocate(i);
        if (!buffer) return buffer.error();
        own.push_back(*std::move(buffer));
      }
      if (auto ran = run_once(*inputs, {own.begin(), own.end()}); !ran) return ran;
      for (std::size_t i = 0; i < own.size(); ++i)
        (*inputs)[fed + i] = Input(own[i], compiled_.outputs()[i].shape);
      constexpr std::chrono::milliseconds patience{50};
      if (const auto now = std::chrono::steady_clock::now(); now - asked > patience) {
        asked = now;
        if (interrupted()) return {};
      }
    }
    return {};
  }

  bool interrupted() {
    const PyGILState_STATE locked = PyGILState_Ensure();
    is_interrupted_ = PyErr_CheckSignals() != 0;
    PyGILState_Release(locked);
    return is_interrupted_;
  }

  const Prepared& prepared_;
  Compiled& compiled_;
  std::optional<StartOrder> order_;
  double kernel_seconds_ = 0;
  bool is_interrupted_ = false;
};

/// The ranks that a call names, before anything of it is read.
std::optional<Communicator> ranks_among(const py::kwargs& named) {
  for (const char* name : {"ranks", "ranks_"}) {
    if (named.contains(name) && py::isinstance<Communicator>(named[name]))
      return named[name].cast<Communicator>();
  }
  return std::nullopt;
}

/// What `body` gives, which may raise. On ranks all call it, and where it raises at one it does at all.
template <class Body>
auto at_all(const std::optional<Communicator>& ranks, Body&& body) -> decltype(body()) {
  if (!ranks) return body();
  std::optional<decltype(body())> result;
  std::exception_ptr raised;
  std::optional<Error> found;
  try {
    result.emplace(body());
  } catch (const py::error_already_set& error) {
    raised = std::current_exception();
    const py::object value = error.value();
    const bool is_own = py::hasattr(value, "problems") && py::len(value.attr("problems")) > 0;
    const std::string text =
        is_own ? text_of(value.attr("problems")[py::int_(0)].attr("message")) : text_of(value);
    found = Error{ErrorKind::User, {{text, {}, {}, std::nullopt, {}}}};
  }
  Result<void> agreed;
  {
    const py::gil_scoped_release unlocked;
    agreed = ranks->agree(found);
  }
  if (raised) std::rethrow_exception(raised);
  need(std::move(agreed));
  return *std::move(result);
}

std::size_t steps_of(const Prepared& prepared) {
  const py::object steps = option(prepared, "steps");
  if (steps.is_none()) return 1;
  const py::object count = whole_number(steps);
  if (!count)
    raise_user("steps is a whole number, but " + py::repr(steps).cast<std::string>() + " was given");
  const long long value = PyLong_AsLongLong(count.ptr());
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  if (value < 1) raise_user("steps is 1 or more, but " + text_of(count) + " was given");
  return static_cast<std::size_t>(value);
}

/// Whether the caller asks for a call that waits for its end.
bool waits(const Prepared& prepared) {
  const py::object wait = option(prepared, "wait");
  if (wait.is_none()) return false;
  py::detail::make_caster<bool> truth;  // of Python's or NumPy's, and of nothing else
  if (!truth.load(wait, false))
    raise_user("wait is True or False, but " + py::repr(wait).cast<std::string>() + " was given");
  return static_cast<bool>(truth);
}

}  // namespace

Step::Step(const Program& program, std::string device) : signature_(program), device_(std::move(device)) {}

DevicePtr Step::device_for(const Prepared& prepared) {
  std::string id = text_option(prepared.options, "device");
  std::optional<std::size_t> chosen_by;  // the input whose device it is
  for (std::size_t i = 0; i < prepared.given.size() && id.empty(); ++i) {
    const Given& each = prepared.given[i];
    // A device that was closed is not opened again for an array that was lost with it.
    if (each.on_device) id = usable_device(*each.on_device)->id();
    if (each.foreign) id = "cuda:" + std::to_string(each.foreign->device.value_or(0));
    if (!id.empty()) chosen_by = i;
  }
  if (id.empty()) id = device_;
  DevicePtr device = opened(id, chosen_by);
  for (std::size_t i = 0; i < prepared.given.size(); ++i) {
    const auto& foreign = prepared.given[i].foreign;
    if (!foreign || foreign->is_on(device->id())) continue;
    raise(input_error(program(), i,
                      "the array given for " + program().inputs()[i].name +
                          " is on a CUDA device, and the program runs on " + device->id(),
                      {}, "copy it there first"));
  }
  return device;
}

/// The device of that id, which is that of an input where one chose it.
DevicePtr Step::opened(const std::string& id, std::optional<std::size_t> chosen_by) {
  DevicePtr device;
  if (const auto known = devices_.find(id); known != devices_.end() && !known->second->is_closed()) {
    device = known->second;
  } else {
    const auto try_open = [&] {
      const py::gil_scoped_release unlocked;
      return open(id);
    };
    auto found = try_open();
    if (!found && chosen_by) {
      Error error = found.error();
      Problem& problem = error.problems.front();
      problem.message = "the array given for " + program().inputs()[*chosen_by].name + " is said to be on " +
                        id + ", but " + problem.message;
      raise(error);
    }
    device = devices_[id] = need(std::move(found));
  }
  if (const auto error = device->lost()) raise(*error);
  return device;
}

/// What `devices`, `ranks`, `shares` and `grid` say.
void Step::read_places(Prepared& prepared) {
  const py::object devices = option(prepared, "devices"), ranks = option(prepared, "ranks");
  if (!ranks.is_none()) {
    if (!py::isinstance<Communicator>(ranks))
      raise_user("ranks is what hoist.ranks(communicator) gives, but " + py::repr(ranks).cast<std::string>() +
                 " was given");
    prepared.ranks = ranks.cast<Communicator>();
  }
  if (const py::object given = option(prepared, "shares"); !given.is_none()) {
    if (devices.is_none() && !prepared.ranks)
      raise_user(
          "shares needs devices or ranks", {},
          "give both: devices=[\"cuda:0\", \"cuda:1\"], shares=[2, 1]; of ranks each gives its own share");
    try {
      prepared.shares =
          prepared.ranks ? std::vector<double>{given.cast<double>()} : given.cast<std::vector<double>>();
    } catch (const py::cast_error&) {
      raise_user(std::string("shares is ") +
                 (prepared.ranks ? "the share of this rank" : "a list of numbers") + ", but " +
                 py::repr(given).cast<std::string>() + " was given");
    }
  }
  if (!option(prepared, "shares").is_none() && prepared.shares.empty())
    raise_user("shares is an empty list", {}, "give a number above 0 for each device, or none");
  if (const py::object given = option(prepared, "grid"); !given.is_none()) {
    if (devices.is_none() && !prepared.ranks)
      raise_user("grid needs devices or ranks", {}, "give both: devices=[...], grid=(2, 2)");
    try {
      const auto [rows, columns] = given.cast<std::pair<std::size_t, std::size_t>>();
      prepared.grid = {rows, columns};
    } catch (const py::cast_error&) {
    }
    if (prepared.grid.rows == 0 || prepared.grid.columns == 0)
      raise_user("grid is how many rows of parts and how many in each, two numbers above 0, but " +
                 py::repr(given).cast<std::string>() + " was given");
  }
  if (devices.is_none()) return;
  if (prepared.ranks) raise_user("devices and ranks do not go together", {}, "each rank has one device=");
  if (!option(prepared, "device").is_none()) raise_user("device and devices do not go together");
  if (!py::isinstance<py::list>(devices) && !py::isinstance<py::tuple>(devices))
    raise_user("devices is a list of them, but " + py::repr(devices).cast<std::string>() + " was given");
  for (const py::handle each : devices) {
    if (each.is_none()) raise_user("devices is a list of them, but one is None");
    const std::map<std::string, py::object> one{{"device", py::reinterpret_borrow<py::object>(each)}};
    prepared.devices.push_back(opened(text_option(one, "device"), std::nullopt));
  }
  if (prepared.devices.empty()) raise_user("devices is an empty list", {}, "give one device at least");
}

Prepared Step::prepare(const py::args& positional, const py::kwargs& named,
                       const std::vector<std::string>& options) {
  Call call = read_call(signature_, positional, named, options);
  if (!call.has_inputs())
    raise_user("no inputs are given", {},
               "the inputs of " + program().name() + " come first, in their order");
  Prepared prepared;
  prepared.sizes = std::move(call.sizes);
  prepared.options = std::move(call.options);
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    prepared.given.push_back(read_input(program(), i, call.inputs[i], warned_));
  read_places(prepared);
  if (prepared.is_placed() && prepared.is_on_device())
    raise_user("an array that is on a device cannot be given to several devices or ranks", {},
               "give an array of NumPy's");
  prepared.device = prepared.devices.empty() ? device_for(prepared) : prepared.devices.front();
  for (const Given& each : prepared.given) {
    if (each.on_device) {
      prepared.inputs.push_back(input_of(each, buffer_of(*each.on_device)));
    } else if (each.foreign) {
      const auto make = [&] {
        const py::gil_scoped_release unlocked;
        return prepared.device->use([&]() -> Result<Buffer> {
          const Device& device = prepared.device->device();
          std::size_t elements = 1;
          for (const std::int64_t extent : each.shape) elements *= static_cast<std::size_t>(extent);
          if (each.foreign->address % Buffer::alignment(device, each.scalar) == 0)
            return Buffer::at(device, each.foreign->address, each.scalar, elements);
          if (auto followed = follow(device, *each.foreign); !followed) return followed.error();
          return Buffer::copy_of(device, each.foreign->address, each.scalar, elements);
        });
      };
      const Buffer buffer = need(make());
      prepared.borrowed.push_back(std::make_unique<OnDevice<Buffer>>(prepared.device, buffer));
      prepared.inputs.push_back(input_of(each, buffer));
    } else {
      prepared.inputs.push_back(input_of(each));
    }
  }
  return prepared;
}

VariantPtr Step::variant_for(const Prepared& prepared) {
  std::string key = prepared.device->id();
  for (const Given& each : prepared.given) add_to(key, each.shape);
  for (const auto& [name, value] : prepared.sizes) {
    key += name;
    add_to(key, {value});
  }
  const auto known = [&]() -> VariantPtr {
    const auto found = variants_.find(key);
    if (found == variants_.end()) return nullptr;
    VariantPtr variant = found->second->second;
    if (variant->compiled.device() == prepared.device && !variant->compiled.is_lost()) {
      order_.splice(order_.begin(), order_, found->second);
      return variant;
    }
    // The device was reset; or closed, and opened again, after one of both was compiled for it.
    if (variant->compiled.is_lost() || variant->compiled.device()->is_closed()) forget(variant);
    return nullptr;
  };
  if (auto variant = known()) return variant;
  const auto compile = [&] {
    const py::gil_scoped_release unlocked;
    return prepared.device->use(
        [&] { return compile_for(program(), prepared.device->device(), prepared.inputs, prepared.sizes); });
  };
  auto variant = std::make_shared<Variant>(prepared.device, need(compile()));
  // Another thread may have compiled the same meanwhile.
  if (auto other = known()) return other;
  if (variants_.count(key) > 0) return variant;
  order_.emplace_front(key, variant);
  variants_[key] = order_.begin();
  if (order_.size() > most_variants) {
    variants_.erase(order_.back().first);
    order_.pop_back();
  }
  return variant;
}

void Step::forget(const VariantPtr& variant) {
  for (auto each = order_.begin(); each != order_.end(); ++each) {
    if (each->second != variant) continue;
    variants_.erase(each->first);
    order_.erase(each);
    return;
  }
}

py::object Step::call(const py::args& positional, const py::kwargs& named) {
  const std::optional<Communicator> ranks = ranks_among(named);
  struct Asked {
    Prepared prepared;
    std::size_t steps, fed;
    std::string feed;
    bool waits;
  };
  const auto read = [&] {
    Asked asked{prepare(positional, named, options_of_calls()), 1, 0, {}, false};
    asked.steps = steps_of(asked.prepared);
    asked.waits = waits(asked.prepared);
    asked.feed = text_option(asked.prepared.options, "feed");
    const bool has_steps = !option(asked.prepared, "steps").is_none();
    if (!asked.feed.empty() && !has_steps)
      raise_user("feed needs steps", {}, "give both: steps=10, feed=\"u\"");
    if (has_steps) asked.fed = need(fed_input(program(), asked.feed));
    return asked;
  };
  const Asked asked = at_all(ranks, read);
  const Prepared& prepared = asked.prepared;
  const std::size_t steps = asked.steps, fed = asked.fed;
  const bool is_waiting = asked.waits;
  if (prepared.is_placed()) return call_on_places(prepared, steps, asked.feed);
  const VariantPtr variant = variant_for(prepared);
  const auto compiled = variant->compiled.get();
  if (!compiled) raise(*prepared.device->lost());
  Outputs outputs(signature_, prepared, *compiled, option(prepared, "out"));
  const Order order = order_of(prepared, outputs);
  const bool is_started = order.can_start && !is_waiting;
  Run run(prepared, *compiled, is_started ? std::optional(order.of_start()) : std::nullopt);
  Result<void> ran;
  {
    const py::gil_scoped_release unlocked;
    ran = prepared.device->use([&]() -> Result<void> {
      if (!is_started) {
        if (auto followed = follow(*prepared.device, order); !followed) return followed;
      }
      const auto places = outputs.places();
      auto done = places ? run.run(steps, fed, *places) : places.error();
      // Memory that is kept for later may be what the call lacked.
      if (!done && done.error().kind == ErrorKind::Device) prepared.device->drop_spare();
      return done;
    });
  }
  if (run.is_interrupted()) throw py::error_already_set();
  kernel_seconds_ = run.kernel_seconds();
  if (!ran) {
    // A device that was lost comes back for what is compiled anew.
    if (ran.error().kind == ErrorKind::Device) forget(variant);
    raise(ran.error());
  }
  return outputs.results();
}

py::object Step::call_on_places(const Prepared& prepared, std::size_t steps, const std::string& feed) {
  const std::vector<double>& shares = prepared.shares;
  std::vector<DevicePtr> used = prepared.devices;
  if (used.empty()) used = {prepared.device};
  // Always in this order, so that no two threads wait for each other.
  std::vector<DevicePtr> locked = used;
  std::sort(locked.begin(), locked.end());
  locked.erase(std::unique(locked.begin(), locked.end()), locked.end());
  struct Key {
    Sizes sizes;
    std::string of_all;  ///< what ranks have the same
    std::string own;
  };
  const auto read_key = [&]() -> Result<Key> {
    auto sizes = prepared.ranks ? infer_sizes(program(), *prepared.ranks, prepared.inputs, prepared.sizes)
                                : infer_sizes(program(), prepared.inputs, prepared.sizes);
    if (!sizes) return sizes.error();
    std::string of_all = std::to_string(steps) + " " + feed + " " + std::to_string(prepared.grid.rows) + "," +
                         std::to_string(prepared.grid.columns) + " ";
    for (const auto& [name, value] : *sizes) of_all += name + "=" + std::to_string(value) + " ";
    std::string own = of_all + std::to_string(prepared.ranks ? prepared.ranks->id() : 0) + " ";
    for (const DevicePtr& each : used) own += each->id() + " ";
    for (const double each : shares) own += std::to_string(each) + " ";
    return Key{*std::move(sizes), std::move(of_all), std::move(own)};
  };
  const auto compile_them = [&](const Sizes& sizes) -> Result<Compiled> {
    if (prepared.ranks) {
      return compile(program(),
                     Ranks{.communicator = *prepared.ranks,
                           .device = prepared.device->device(),
                           .share = shares.empty() ? 1.0 : shares.front(),
                           .steps = steps,
                           .feed = feed,
                           .grid = prepared.grid},
                     sizes);
    }
    Places places{.devices = {}, .shares = shares, .steps = steps, .feed = feed, .grid = prepared.grid};
    for (const DevicePtr& each : used) places.devices.push_back(each->device());
    return compile(program(), places, sizes);
  };
  const auto unlocked = [&](const auto& body) {
    const py::gil_scoped_release released;
    return use_all(locked, body);
  };
  const Key key = need(unlocked(read_key));
  placed_.remove_if([](const auto& each) { return !each.second->compiled.get(); });
  auto found =
      std::find_if(placed_.begin(), placed_.end(), [&](const auto& each) { return each.first == key.own; });
  // Where a rank has another program, sizes or steps, or has forgotten this one, all compile, which tells
  // what differs.
  bool is_known = found != placed_.end();
  if (prepared.ranks) {
    const std::uint64_t mine = is_known ? std::hash<std::string>{}(program().text() + key.of_all) : 0;
    is_known = need(unlocked([&] { return prepared.ranks->have_same(mine); })) && is_known;
  }
  VariantPtr variant;
  if (is_known) {
    variant = found->second;
    placed_.splice(placed_.begin(), placed_, found);
  } else {
    if (found != placed_.end()) placed_.erase(found);
    variant =
        std::make_shared<Variant>(prepared.device, need(unlocked([&] { return compile_them(key.sizes); })));
    placed_.emplace_front(key.own, variant);
    if (placed_.size() > most_variants) placed_.pop_back();
  }
  const auto compiled = variant->compiled.get();
  if (!compiled) raise(*prepared.device->lost());
  const auto made = at_all(prepared.ranks, [&] {
    return std::make_unique<Outputs>(signature_, prepared, *compiled, option(prepared, "out"));
  });
  Outputs& outputs = *made;
  const Order order = order_of(prepared, outputs);
  const auto ran = unlocked([&]() -> Result<RunTimes> {
    const auto followed = follow(*prepared.device, order);
    if (!followed) return followed.error();
    const auto places = outputs.places();
    if (!places) return places.error();
    return compiled->run(prepared.inputs, *places);
  });
  if (!ran) {
    if (ran.error().kind == ErrorKind::Device)
      placed_.remove_if([&](const auto& each) { return each.second == variant; });
    raise(ran.error());
  }
  kernel_seconds_ = ran->kernels;
  return outputs.results();
}

Sizes Step::sizes_of(const py::args& positional, const py::kwargs& named) {
  Call call = read_call(signature_, positional, named, {});
  if (!call.has_inputs() || call.inputs.empty()) return call.sizes;
  std::vector<Input> inputs;
  std::vector<Given> given;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    given.push_back(read_input(program(), i, call.inputs[i], warned_));
    inputs.push_back(given.back().on_device ? input_of(given.back(), buffer_of(*given.back().on_device))
                                            : input_of(given.back()));
  }
  return need(infer_sizes(program(), inputs, call.sizes));
}

py::dict Step::explain(const py::args& positional, const py::kwargs& named) {
  const Prepared prepared = prepare(positional, named, {"device"});
  const VariantPtr variant = variant_for(prepared);
  const auto held = variant->compiled.get();
  if (!held) raise(*prepared.device->lost());
  const Compiled& compiled = *held;
  const DeviceFacts& device = prepared.device->device().facts();
  py::list kernels;
  for (const KernelFacts& each : compiled.kernels())
    kernels.append(py::make_tuple(each.name, each.global, each.local));
  py::dict facts;
  facts["device"] = device.id;
  facts["device_name"] = device.name;
  facts["sizes"] = need(infer_sizes(program(), prepared.inputs, prepared.sizes));
  facts["kernels"] = kernels;
  facts["notes"] = compiled.notes();
  facts["mapping"] = compiled.mapping();
  facts["source"] = compiled.source();
  facts["bytes"] = compiled.work().bytes;
  facts["flops"] = compiled.work().flops;
  return facts;
}

}  // namespace hoist::python
