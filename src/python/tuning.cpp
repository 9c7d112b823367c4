// Tuning from Python. The search runs in a thread of its own, while the thread that asked for it looks now
// and then whether the user interrupted, and tells how far it is.
#include <condition_variable>
#include <thread>

#include "python/step.hpp"

namespace hoist::python {

namespace {

/// A search, and what its thread and the one that waits for it tell each other.
class Search {
 public:
  using Body = std::function<Result<TuneResult>(TuneOptions&)>;
  /// Starts it.
  Search(TuneOptions options, Body body) : options_(std::move(options)) {
    options_.is_cancelled = &is_cancelled_;
    options_.progress = [this](const TuneProgress& now) {
      const std::lock_guard lock(mutex_);
      progress_ = now;
    };
    thread_ = std::thread([this, body = std::move(body)] {
      auto found = body(options_);
      const std::lock_guard lock(mutex_);
      result_ = std::move(found);
      ended_.notify_all();
    });
  }
  ~Search() {
    cancel();
    thread_.join();
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  void cancel() { is_cancelled_ = true; }
  /// Whether it ended, after waiting for that for a moment.
  bool has_ended() {
    constexpr std::chrono::milliseconds moment{100};
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, moment, [&] { return result_.has_value(); });
  }
  TuneProgress progress() {
    const std::lock_guard lock(mutex_);
    return progress_;
  }
  /// Precondition: has_ended().
  Result<TuneResult> result() { return *std::move(result_); }

 private:
  TuneOptions options_;
  std::atomic<bool> is_cancelled_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  TuneProgress progress_;
  std::optional<Result<TuneResult>> result_;
  std::thread thread_;
};

/// A call's inputs in the host's memory, so that a search needs no device of this process.
struct HostInputs {
  std::vector<Input> inputs;

  explicit HostInputs(const Prepared& prepared) : inputs(prepared.inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Given& given = prepared.given[i];
      if (!given.on_device && !given.foreign) continue;
      if (const auto error = prepared.device->lost()) raise(*error);
      const Buffer buffer =
          given.on_device ? buffer_of(*given.on_device) : *prepared.borrowed[copied_++]->get();
      with_type_of(given.scalar, [&]<class T>(std::type_identity<T>) {
        std::vector<std::byte>& memory = memory_.emplace_back(buffer.elements() * sizeof(T));
        const std::span<T> copy(reinterpret_cast<T*>(memory.data()), buffer.elements());  // NOLINT
        const auto download = [&] {
          const py::gil_scoped_release unlocked;
          return prepared.device->use([&]() -> Result<void> {
            if (given.foreign) {
              const auto followed = follow(prepared.device->device(), *given.foreign);
              if (!followed) return followed;
            }
            return buffer.download(copy);
          });
        };
        need(download());
        inputs[i] = Input(copy, given.shape);
      });
    }
  }

 private:
  std::size_t copied_ = 0;  ///< of other libraries' arrays
  std::vector<std::vector<std::byte>> memory_;
};

/// What `body` gives, which needs no lock of the interpreter's.
template <class Body>
auto without_lock(Body&& body) {
  const py::gil_scoped_release released;
  return body();
}

py::dict dictionary_of(const TuneProgress& now) {
  py::dict facts;
  facts["phase"] = now.phase;
  facts["evaluated"] = now.evaluated;
  facts["failed"] = now.failed;
  facts["seconds"] = now.seconds;
  facts["seconds_left"] = now.seconds_left;
  facts["best"] = now.best;
  facts["baseline"] = now.baseline;
  return facts;
}

py::dict dictionary_of(const TuneResult& result) {
  py::list best;
  for (const TunedKernel& each : result.best) {
    py::dict kernel;
    kernel["name"] = each.name;
    kernel["seconds"] = each.median;
    kernel["derivation"] = each.derivation;
    kernel["values"] = each.values;
    best.append(std::move(kernel));
  }
  py::dict facts;
  facts["best"] = std::move(best);
  facts["baseline"] = result.baseline;
  facts["evaluated"] = result.evaluated;
  facts["known"] = result.known;
  facts["outcomes"] = result.outcomes;
  facts["seconds"] = result.seconds;
  facts["ended_by"] = result.ended_by;
  facts["notes"] = result.notes;
  facts["store"] = result.store;
  facts["bytes"] = result.work.bytes;
  facts["flops"] = result.work.flops;
  return facts;
}

/// Waits for the search to end. An interrupt, or an exception of `progress`, ends it and is thrown then.
Result<TuneResult> waited_for(Search& search, const py::object& progress) {
  std::optional<py::error_already_set> thrown;
  while (true) {
    const auto ended = [&] {
      const py::gil_scoped_release unlocked;
      return search.has_ended();
    };
    if (ended()) break;
    if (thrown) continue;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) progress(dictionary_of(search.progress()));
    } catch (py::error_already_set& error) {
      thrown.emplace(std::move(error));
      search.cancel();
    }
  }
  if (thrown) throw std::move(*thrown);
  return search.result();
}

}  // namespace

py::dict Step::tune(const py::args& positional, const py::kwargs& named) {
  const Prepared prepared =
      prepare(positional, named,
              {"device", "budget", "evaluations", "search", "seed", "fresh", "store", "worker", "progress"});
  TuneOptions options;
  const auto read = [&](const char* name, auto& value) {
    const auto found = prepared.options.find(name);
    if (found == prepared.options.end() || found->second.is_none()) return;
    try {
      value = found->second.cast<std::remove_reference_t<decltype(value)>>();
    } catch (const py::cast_error&) {
      raise_user(std::string(name) + " cannot be " + py::repr(found->second).cast<std::string>());
    }
  };
  read("budget", options.seconds);
  read("evaluations", options.evaluations);
  read("search", options.strategy);
  read("seed", options.seed);
  read("fresh", options.is_fresh);
  read("store", options.store);
  read("worker", options.worker);
  py::object progress = py::none();
  read("progress", progress);
  const std::string device = prepared.device->id();
  const HostInputs inputs(prepared);
  const auto search_for = [&] {
    Search search(options, [&](TuneOptions& started) {
      return hoist::tune(program(), device, inputs.inputs, prepared.sizes, started);
    });
    return waited_for(search, progress);
  };
  const TuneResult result = need(search_for());
  // What was compiled before may be slower than what was found.
  variants_.clear();
  order_.clear();
  return dictionary_of(result);
}

void add_tuning(py::module_& module) {
  module.def("report",
             [](const Step& step, const Sizes& sizes, const std::string& device, const std::string& store) {
               return need(without_lock([&] { return report(step.program(), sizes, device, store); }));
             });
  module.def("source", [](const Step& step, const std::string& language, const Sizes& sizes) {
    return need(without_lock([&] { return source_of(step.program(), language, sizes); }));
  });
  module.def("export_files",
             [](const Step& step, const std::string& device, const Sizes& sizes, const std::string& name) {
               std::vector<std::pair<std::string, std::string>> files;
               for (TextFile& each :
                    need(without_lock([&] { return export_files(step.program(), device, sizes, name); })))
                 files.emplace_back(std::move(each.name), std::move(each.text));
               return files;
             });
}

}  // namespace hoist::python
