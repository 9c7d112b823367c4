#pragma once
// The commands of `hoist`, one file each. Each function adds its command, whose callback sets
// Session::action.
#include <CLI/App.hpp>

#include "cli/session.hpp"

namespace hoist::cli {

void add_demo(CLI::App& app, Session& session);
void add_new(CLI::App& app, Session& session);
void add_check(CLI::App& app, Session& session);
void add_format(CLI::App& app, Session& session);
void add_eval(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_compile(CLI::App& app, Session& session);
void add_explore(CLI::App& app, Session& session);
void add_explain(CLI::App& app, Session& session);
void add_features(CLI::App& app, Session& session);
void add_tune(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);
void add_evaluate(CLI::App& app, Session& session);
void add_bench_search(CLI::App& app, Session& session);
void add_export(CLI::App& app, Session& session);
void add_openmp(CLI::App& app, Session& session);
void add_stencils(CLI::App& app, Session& session);
void add_rules(CLI::App& app, Session& session);
void add_rewrite(CLI::App& app, Session& session);
void add_store(CLI::App& app, Session& session);
void add_devices(CLI::App& app, Session& session);
void add_dev(CLI::App& app, Session& session);
void add_dev_learn(CLI::App& dev, Session& session);
void add_dev_streams(CLI::App& dev, Session& session);
void add_dev_manual(CLI::App& dev, Session& session);
/// Last: the script that it prints offers the commands that were added before.
void add_completion(CLI::App& app, Session& session);

}  // namespace hoist::cli
