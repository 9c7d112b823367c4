#pragma once
// hoist train for tasks other than speed: tables in, a model out, into a file or the store.
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/need.hpp"
#include "cli/measurement_options.hpp"
#include "cli/output.hpp"
#include "cli/session.hpp"
#include "cli/store_option.hpp"
#include "predict/learned_task.hpp"

namespace hoist::cli {

struct TaskTraining {
  std::vector<std::string> files;
  std::string output, store;
  std::uint64_t seed = 1;
  bool keeps = false;
};

/// `read` makes a table of the files, `told` says of a model what it has learned. Throws Failure: nothing
/// says where the model goes; the table's and the model's.
template <class Model, class Read, class Told>
Status train_task(const predict::LearnedTask& task, const TaskTraining& training, Read&& read, Told&& told) {
  if (training.output.empty() && !training.keeps)
    throw_user("no option says what to write", {},
               "--keep puts the model into the store, --output MODEL.json.gz into a file");
  const auto table = read(training.files);
  std::map<std::string, std::string> provenance = table.provenance;
  provenance["date"] = today();
  provenance["hoist"] = HOIST_VERSION;
  const Model model = need(Model::learn(table, {.seed = training.seed, .provenance = provenance}));
  note(told(model));
  if (!training.output.empty()) {
    need(model.save(training.output));
    note("wrote " + training.output);
  }
  if (!training.keeps) return done;
  store::Store store = open_store(training.store);
  need(store.add_model({.name = task.name,
                        .device_class = model.device_class(),
                        .schema = task.name,
                        .content = model.to_json().dump(),
                        .provenance = nlohmann::json(model.provenance()).dump()}));
  note(fmt::format("the model is kept in {} for {}", store.place(), model.device_class()));
  return done;
}

}  // namespace hoist::cli
