#pragma once
// Tables of stencils with what each loading technique reached, as text (docs/model.md).
#include "predict/loading_technique.hpp"

namespace hoist::predict {

/// User errors say the line: a table that is damaged, that has a stencil twice, or numbers that no stencil
/// has.
Result<TechniqueTable> parse_technique_table(std::string_view text, const std::string& name);
/// The same of a file, which may be packed.
Result<TechniqueTable> read_technique_table(const std::string& path);
/// One of several, of devices of the same class; otherwise a user error.
Result<TechniqueTable> merge_technique_tables(const std::vector<TechniqueTable>& tables);
Result<void> write_technique_table(const TechniqueTable& table, const std::string& path);

}  // namespace hoist::predict
