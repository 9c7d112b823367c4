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
#include "learn/weka/random_forest.hpp"
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
constexpr const char* random_forest = "random-forest";

std::vector<std::string> names_of_learners() {
  std::vector<std::string> names{weighted_rank, priced_trees, random_forest};
  for (const Named& each : regressors) names.emplace_back(each.name);
  return names;
}

/// Rows of as many numbers each, finite ones; of null, which is a missing one, NaN is made where learners
/// know that. Throws Failure, or a JSON exception.
Matrix matrix_of(const Json& rows, std::size_t width, bool may_be_missing) {
  Matrix matrix;
  for (const Json& row : rows) {
    std::vector<double> numbers;
    for (const Json& cell : row.get<std::vector<Json>>())
      numbers.push_back(may_be_missing && cell.is_null() ? std::nan("") : cell.get<double>());
    if (numbers.empty() || (width != 0 && numbers.size() != width))
      throw_user(fmt::format("a row has {} numbers, the first has {}", numbers.size(), width));
    width = numbers.size();
    matrix.add(numbers);
  }
  return matrix;
}

/// For each test a list with a number, or the probability of each class, for each row.
using Answers = std::vector<Json>;

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
      Json& numbers = answers.emplace_back(Json::array());
      for (const learn::Prediction& prediction : regressor->predict(test)) numbers.push_back(prediction.mean);
    }
  }
  return answers;
}

/// Throws Failure where a column of names has something else than the place of one of them.
void expect_places(const Matrix& rows, const learn::WekaNames& names) {
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (std::size_t column = 0; column < names.columns.size(); ++column) {
      const std::size_t values = names.columns[column].size();
      const double place = rows.at(i, column);
      if (values > 0 && !std::isnan(place) &&
          !(place >= 0 && place < static_cast<double>(values) && place == std::floor(place)))
        throw_user(fmt::format("row {} has {} in column {}, which has {} names", i, place, column, values),
                   {}, "a column of names has their places, from 0");
    }
  }
}

/// The probabilities of the classes, which the targets are places of.
Answers classified(const learn::Examples& examples, const learn::WekaNames& names, std::size_t trees,
                   const std::vector<Matrix>& tests) {
  if (names.classes.size() < 2) throw_user("there are less than two classes", {}, "\"classes\" names them");
  if (names.columns.size() > examples.rows.width)
    throw_user(
        fmt::format("{} columns are told of, rows have {}", names.columns.size(), examples.rows.width));
  std::vector<std::uint32_t> classes;
  for (const double target : examples.targets) {
    if (!(target >= 0 && target < static_cast<double>(names.classes.size()) && target == std::floor(target)))
      throw_user(fmt::format("the target {} is none of the {} classes", target, names.classes.size()), {},
                 "targets are places in \"classes\", from 0");
    classes.push_back(static_cast<std::uint32_t>(target));
  }
  std::vector<std::vector<std::string>> lists = names.columns;
  lists.push_back(names.classes);
  for (const auto& list : lists) {
    for (const std::string& name : list) {
      if (!learn::is_weka_name(name))
        throw_user(fmt::format("'{}' is no name for Weka", name), {},
                   "write it in ASCII, without quotes, backslashes and '%'");
    }
  }
  constexpr std::size_t most_trees = 10000;
  if (trees == 0 || trees > most_trees)
    throw_user(fmt::format("\"trees\" is {}, not from 1 to {}", trees, most_trees));
  expect_places(examples.rows, names);
  const auto forest = learn::make_weka_random_forest(names, trees);
  forest->fit(examples.rows, classes, static_cast<std::uint32_t>(names.classes.size()));
  Answers answers;
  for (const Matrix& test : tests) {
    expect_places(test, names);
    const Matrix shares = forest->probabilities(test);
    Json& rows = answers.emplace_back(Json::array());
    for (std::size_t i = 0; i < shares.count(); ++i)
      rows.push_back(std::vector<double>(shares.row(i).begin(), shares.row(i).end()));
  }
  return answers;
}

Status learn_and_predict(const LearnOptions& options) {
  const std::string text = read_text_file(options.file);
  learn::Examples examples;
  std::vector<Matrix> tests;
  bool is_one_test = false;
  std::size_t costs = 0, trees = 0;
  learn::WekaNames names;
  const bool classifies = options.learner == random_forest;
  try {
    const Json given = Json::parse(text);
    examples.rows = matrix_of(given.at("rows"), 0, classifies);
    examples.targets = given.at("targets").get<std::vector<double>>();
    examples.groups = given.value("groups", std::vector<std::uint32_t>());
    costs = given.value("costs", std::size_t{0});
    trees = given.value("trees", std::size_t{100});
    names.columns = given.value("columns", std::vector<std::vector<std::string>>());
    names.classes = given.value("classes", std::vector<std::string>());
    is_one_test = given.contains("test");
    if (is_one_test) {
      tests.push_back(matrix_of(given.at("test"), examples.rows.width, classifies));
    } else {
      for (const Json& test : given.at("tests"))
        tests.push_back(matrix_of(test, examples.rows.width, classifies));
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
  const Answers answers = classifies ? classified(examples, names, trees, tests)
                                     : learned(options.learner, examples, costs, tests);
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
      "\"tests\" instead of \"test\" is a list of them, which gives a list of answers. random-forest gives "
      "the\n"
      "probabilities of classes: \"classes\" names them, and targets are places in that list, from 0; a list "
      "of\n"
      "names in \"columns\" says that rows have their places there, none ([]) numbers; null is a missing "
      "one.\n"
      "\"trees\" is how many it has, 100.\n\n"
      "Example:\n"
      "  echo '{\"rows\": [[1], [2]], \"targets\": [3, 5], \"test\": [[1.2]]}' | hoist dev learn ibk -");
  command->callback(
      [&session, options] { session.action = [options] { return learn_and_predict(*options); }; });
}

}  // namespace hoist::cli
