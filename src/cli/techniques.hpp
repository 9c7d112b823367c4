#pragma once
// The loading techniques of stencils, where hoist train and hoist evaluate have --technique.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "cli/task_training.hpp"

namespace hoist::cli {

/// Adds --technique, which cannot stand beside the options named in `excluded`.
void add_technique_option(CLI::App& command, std::vector<std::string>& files,
                          const std::vector<std::string>& excluded);

Status train_techniques(const TaskTraining& training);

struct TechniqueJudging {
  std::vector<std::string> files;
  std::string left_out;  ///< empty: all that can be, one after the other
  std::string write;
  std::uint64_t seed = 1;
  bool json = false;
};
Status judge_techniques(const TechniqueJudging& judging);

}  // namespace hoist::cli
