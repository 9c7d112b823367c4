#pragma once
// Models of streams, where hoist train and hoist evaluate have --streams.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "cli/task_training.hpp"

namespace hoist::cli {

/// Adds --streams, which cannot stand beside the options named in `excluded`.
void add_stream_tables_option(CLI::App& command, std::vector<std::string>& files,
                              const std::vector<std::string>& excluded);

Status train_streams(const TaskTraining& training);

struct StreamJudging {
  std::vector<std::string> files;
  std::vector<std::string> choosers;  ///< empty: all
  std::string write;
  std::uint64_t seed = 1;
  bool json = false;
};
Status judge_streams(const StreamJudging& judging);

}  // namespace hoist::cli
