#pragma once
// A program of several nests taken apart: what the default mapping maps as it always does (scans, iterations,
// choices), and between them the sites, nests that kernels of their own compute. Each site is a program by
// itself, so whatever is derived of programs of one nest is derived of it.
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "ir/term.hpp"
#include "rewrite/strategy.hpp"
#include "target/processor.hpp"

namespace hoist::rewrite {

/// Programs with more sites than this have the first ones only.
inline constexpr std::size_t most_sites = 64;

struct Site {
  Path path;            ///< in the body of the program in sites
  ir::Program program;  ///< the nest alone; its parameters are what it reads
  /// What these parameters are at the site, with loose indices.
  std::vector<ir::Term> arguments;
  bool is_staged = false;  ///< it is a chain of stages, to be computed together
};

/// A program whose sites are left as they were written. All else is mapped.
struct ProgramInSites {
  ir::Program program;
  std::vector<Site> sites;  ///< in the order in which they are computed
};

/// The sites of a high-level program all of whose sizes are given. Up to so many stages that follow each
/// other, or steps of an iteration, are one site where they can be computed tile by tile
/// (strategies/tiled_stages.hpp). User errors: as
/// default_mapping.
Result<ProgramInSites> in_sites(const ir::Program& program, target::Processor processor,
                                std::size_t stages_together = 1);

/// The program whose sites are computed by these functions of their parameters, one for each site.
ir::Program with_sites(const ProgramInSites& program, const std::vector<ir::Term>& functions);

/// The body of a high-level program with its stages bound by `let`: "stages". Of use at the root only.
Strategy split_in_stages();
/// The body of a high-level program in sites: "sites(gpu)", or "sites(gpu,4)" with up to four stages in one.
/// Of use at the root only.
Strategy split_in_sites(target::Processor processor, std::size_t stages_together = 1);
/// A site as the default mapping maps it: "mapSite(gpu)".
Strategy map_site(target::Processor processor);

}  // namespace hoist::rewrite
