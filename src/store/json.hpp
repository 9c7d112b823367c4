#pragma once
// Lists that a column holds, as JSON. Doubles are written so that reading gives the same bits.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "store/entries.hpp"

namespace hoist::store {

using Json = nlohmann::ordered_json;

/// On one line; bytes that are no UTF-8 are replaced.
std::string to_text(const Json& json);

Json to_json(const NamedValues& values);
Json to_json(const std::vector<Step>& steps);
Json to_json(const std::vector<Launch>& launches);
Json to_json(const std::vector<KernelBuild>& kernels);

// Throw Json::exception at what is of another form.
NamedValues named_values(const Json& json);
std::vector<Step> steps(const Json& json);
std::vector<Launch> launches(const Json& json);
std::vector<KernelBuild> kernel_builds(const Json& json);
std::vector<std::string> names(const Json& json);
std::vector<double> doubles(const Json& json);

}  // namespace hoist::store
