// hoist dev learn: a learner of the literature on numbers, outside of any program.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/program_file.hpp"
#include "learn/priced_trees.hpp"
#include "learn/weighted_rank.hpp"
#include "learn/weka/ibk.hpp"
#include "learn/weka/k_star.hpp"
#include "learn/weka/linear_regression.hpp"
#include "learn/weka/m5p.hpp"
#include "learn/weka/multilayer_perceptron.hpp"
#include "learn/weka/smo_reg.hpp"

namespace hoist::cli {

namespace {

struct LearnOptions {
  std::string learner, file;
};

struct Named {
  const char* name;
  std::unique_ptr<learn::StoredRegressor> (*make)();
};
constexpr Named regressors[] = {
    {"ibk", learn::make_ibk},        {"kstar", learn::make_k_star},
    {"m5p", learn::make_m5p},        {"lr", learn::make_linear_regression},
    {"smoreg", learn::make_smo_reg}, {"mlp", learn::make_multilayer_perceptron},
};
constexpr const char* weighted_rank = "weighted-rank";
constexpr const char* priced_trees = "priced-trees";

std::vector<std::string> names_of_learners() {
  std::vector<std::string> names{weighted_rank, priced_trees};
  for (const Named& each : regressors) names.emplace_back(each.name);
  return names;
}

/// Rows of as many finite numbers each. Throws Failure, or a JSON exception.
Matrix matrix_of(const Json& rows, std::size_t width) {
  Matrix matrix;
  for (const Json& row : rows) {
    const auto numbers = row.get<std::vector<double>>();
    if (numbers.empty() || (width != 0 && numbers.size() != width))
      throw_user(fmt::format("a row has {} numbers, the first has {}", numbers.size(), width));
    width = numbers.size();
    matrix.add(numbers);
  }
  return matrix;
}

/// A list of numbers for each test.
using Answers = std::vector<std::vector<double>>;

Answers ranked(learn::Ranker& ranker, const learn::Examples& examples, const std::vector<Matrix>& tests) {
  ranker.fit(examples);
  Answers answers;
  for (const Matrix& test : tests) answers.push_back(ranker.scores(test));
  return answers;
}

Answers learned(const std::string& learner, const learn::Examples& examples, std::size_t costs,
                const std::vector<Matrix>& tests) {
  if (learner == weighted_rank)
    return ranked(*learn::make_weighted_rank({learn::make_ibk, learn::make_k_star}), examples, tests);
  if (learner == priced_trees) return ranked(*learn::make_priced_trees(costs, {}), examples, tests);
  Answers answers;
  for (const Named& each : regressors) {
    if (learner != each.name) continue;
    const auto regressor = each.make();
    regressor->fit(examples);
    for (const Matrix& test : tests) {
      auto& numbers = answers.emplace_back();
      for (const learn::Prediction& prediction : regressor->predict(test)) numbers.push_back(prediction.mean);
    }
  }
  return answers;
}

Status learn_and_predict(const LearnOptions& options) {
  const std::string text = read_text_file(options.file);
  learn::Examples examples;
  std::vector<Matrix> tests;
  bool is_one_test = false;
  std::size_t costs = 0;
  try {
    const Json given = Json::parse(text);
    examples.rows = matrix_of(given.at("rows"), 0);
    examples.targets = given.at("targets").get<std::vector<double>>();
    examples.groups = given.value("groups", std::vector<std::uint32_t>());
    costs = given.value("costs", std::size_t{0});
    is_one_test = given.contains("test");
    if (is_one_test) {
      tests.push_back(matrix_of(given.at("test"), examples.rows.width));
    } else {
      for (const Json& test : given.at("tests")) tests.push_back(matrix_of(test, examples.rows.width));
    }
  } catch (const nlohmann::json::exception& error) {
    throw_user(fmt::format("{} is not what a learner takes: {}", options.file, error.what()), {},
               "it is JSON: {\"rows\": [[...], ...], \"targets\": [...], \"groups\": [...], \"test\": "
               "[[...], ...]}, or \"tests\" with a list of those");
  }
  const std::size_t count = examples.rows.count();
  if (count == 0 || examples.targets.size() != count ||
      (!examples.groups.empty() && examples.groups.size() != count))
    throw_user(fmt::format("there are {} rows, {} targets and {} groups", count, examples.targets.size(),
                           examples.groups.size()),
               {}, "each row has a target, and a group where there are groups, ascending");
  if (options.learner == priced_trees) {
    if (costs == 0 || costs > examples.rows.width)
      throw_user(fmt::format("\"costs\" is {}, of rows of {} numbers", costs, examples.rows.width), {},
                 "it says how many of the numbers, the first ones, are amounts that take time");
    for (const double target : examples.targets) {
      if (!(target > 0)) throw_user("a target is no speed: it is not above 0");
    }
  }
  const Answers answers = learned(options.learner, examples, costs, tests);
  print_json(is_one_test ? Json(answers.front()) : Json(answers));
  return done;
}

}  // namespace

void add_dev_learn(CLI::App& dev, Session& session) {
  auto options = std::make_shared<LearnOptions>();
  CLI::App* command = dev.add_subcommand(
      "learn", "Learn from rows of numbers, and predict others, by a learner of the literature");
  command->add_option("LEARNER", options->learner, alternatives(names_of_learners()))
      ->required()
      ->check(CLI::IsMember(names_of_learners()))
      ->option_text(" ");
  command
      ->add_option("FILE", options->file,
                   "The rows, their targets and groups, and rows to predict, as JSON; - is standard input")
      ->required()
      ->option_text(" ");
  command->footer(
      "Prints a number for each row to predict, as JSON. Learners have the defaults of Weka 3.6.14; "
      "weighted-rank\n"
      "orders the rows of a test, by those of ibk and kstar; so does priced-trees, which is Hoist's own. Its "
      "targets\n"
      "are speeds, and \"costs\" says how many of the numbers of a row, the first ones, are amounts that "
      "take time.\n"
      "\"tests\" instead of \"test\" is a list of them, which gives a list of answers.\n\n"
      "Example:\n"
      "  echo '{\"rows\": [[1], [2]], \"targets\": [3, 5], \"test\": [[1.2]]}' | hoist dev learn ibk -");
  command->callback(
      [&session, options] { session.action = [options] { return learn_and_predict(*options); }; });
}

}  // namespace hoist::cli
