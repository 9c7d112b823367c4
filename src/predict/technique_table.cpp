#include "predict/technique_table.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "model/files.hpp"
#include "model/table_text.hpp"

namespace hoist::predict {

namespace {

constexpr std::string_view title = "#hoist-techniques";
constexpr int format_version = 1;
constexpr const char* trait_columns[] = {"stencil", "pattern",          "dimensionality", "size",
                                         "density", "unique_dimension", "additions",      "multiplications"};
constexpr const char* search_columns[] = {"seconds", "configurations", "build_seconds", "run_seconds"};

std::vector<std::string> column_names() {
  std::vector<std::string> names(std::begin(trait_columns), std::end(trait_columns));
  for (const Heuristic heuristic : all_heuristics) {
    for (const Technique technique : all_techniques) {
      for (const char* column : search_columns)
        names.push_back(fmt::format("{}_{}_{}", name_of(heuristic), name_of(technique), column));
    }
  }
  return names;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name)
      : lines_(text, name, "a table of loading techniques"), names_(column_names()) {}

  TechniqueTable read() {
    model::TableOrigin origin = lines_.read_origin(title, format_version);
    table_.device_class = std::move(origin.device_class);
    table_.provenance = std::move(origin.provenance);
    if (lines_.split() != names_)
      lines_.wrong("the names of the columns are others", fmt::format("they are {}", fmt::join(names_, ",")));
    while (lines_.next()) {
      if (!lines_.line().empty()) read_row();
    }
    return std::move(table_);
  }

 private:
  void read_row() {
    const std::vector<std::string>& cells = lines_.split();
    if (cells.size() != names_.size())
      lines_.wrong(fmt::format("the row has {} cells instead of {}", cells.size(), names_.size()));
    StencilRecord record;
    record.stencil = cells[0];
    record.pattern = cells[1];
    if (record.stencil.empty() || !known_.insert(record.stencil).second)
      lines_.wrong(fmt::format("the stencil '{}' has no name, or is there twice", record.stencil));
    const auto number = [&](std::size_t column, double least, double most) {
      return lines_.number(cells[column], names_[column], least, most);
    };
    constexpr double most = 1e15;
    record.traits.dimensionality = number(2, 0, 3);
    record.traits.size = number(3, 1, most);
    record.traits.density = number(4, 1 / most, 1);
    record.traits.unique_dimension = unique_dimension(cells[5]);
    record.traits.additions = number(6, 0, most);
    record.traits.multiplications = number(7, 0, most);
    std::size_t column = std::size(trait_columns);
    for (auto& heuristic : record.searches) {
      for (TechniqueSearch& search : heuristic) {
        if (!cells[column].empty()) search.seconds = number(column, 1e-12, most);
        double* const costs[] = {&search.configurations, &search.build_seconds, &search.run_seconds};
        for (std::size_t i = 0; i < std::size(costs); ++i) {
          if (!cells[column + 1 + i].empty()) *costs[i] = number(column + 1 + i, 0, most);
        }
        column += std::size(search_columns);
      }
    }
    table_.stencils.push_back(std::move(record));
  }

  UniqueDimension unique_dimension(const std::string& cell) const {
    using enum UniqueDimension;
    for (const UniqueDimension each : {None, X, Y, Z}) {
      if (name_of(each) == cell) return each;
    }
    lines_.wrong(fmt::format("'{}' in the column 'unique_dimension' is not none, x, y or z", cell));
  }

  model::TableLines lines_;
  const std::vector<std::string> names_;
  std::set<std::string> known_;
  TechniqueTable table_;
};

}  // namespace

Result<TechniqueTable> parse_technique_table(std::string_view text, const std::string& name) {
  return catch_failure([&] { return Reader(text, name).read(); });
}

Result<TechniqueTable> read_technique_table(const std::string& path) {
  const auto text = model::read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_technique_table(*text, path);
}

Result<TechniqueTable> merge_technique_tables(const std::vector<TechniqueTable>& tables) {
  TechniqueTable all;
  std::set<std::string> known;
  for (const TechniqueTable& each : tables) {
    if (all.device_class.empty()) all.device_class = each.device_class;
    if (each.device_class != all.device_class)
      return user_error(fmt::format("one table is of {}, another of {}", all.device_class, each.device_class),
                        {}, "a model is learned for devices of one class");
    all.provenance.insert(each.provenance.begin(), each.provenance.end());
    for (const StencilRecord& record : each.stencils) {
      if (!known.insert(record.stencil).second)
        return user_error(fmt::format("the stencil '{}' is in two tables", record.stencil));
      all.stencils.push_back(record);
    }
  }
  return all;
}

Result<void> write_technique_table(const TechniqueTable& table, const std::string& path) {
  std::string text = model::origin_text(title, format_version, table.device_class, table.provenance);
  text += fmt::format("{}\n", fmt::join(column_names(), ","));
  for (const StencilRecord& each : table.stencils) {
    text += fmt::format("{},{}", model::quoted_cell(each.stencil), model::quoted_cell(each.pattern));
    const auto add = [&](double number) {
      text += ',';
      model::append_number(text, number);
    };
    const StencilTraits& traits = each.traits;
    for (const double number : {traits.dimensionality, traits.size, traits.density}) add(number);
    text += fmt::format(",{}", name_of(traits.unique_dimension));
    for (const double number : {traits.additions, traits.multiplications}) add(number);
    for (const auto& heuristic : each.searches) {
      for (const TechniqueSearch& search : heuristic) {
        if (search.seconds) {
          add(*search.seconds);
        } else {
          text += ',';
        }
        for (const double cost : {search.configurations, search.build_seconds, search.run_seconds}) add(cost);
      }
    }
    text += '\n';
  }
  return model::write_file(path, text);
}

}  // namespace hoist::predict
