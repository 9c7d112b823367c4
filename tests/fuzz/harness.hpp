#pragma once
// What fuzzers of readers share: texts that are almost right, and a watch over whoever reads them.
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace hoist::fuzz {

using Random = std::mt19937_64;

/// A number below the bound; 0 where that is 0.
std::size_t below(Random& random, std::size_t bound);

/// The files with an ending (".hoist") in folders of the source tree, the same for the same tree.
std::vector<std::string> read_corpus(const std::vector<std::string>& folders, const std::string& ending);

/// Texts of a corpus with some pieces or bytes changed.
class Mutator {
 public:
  /// Pieces are put in from the corpus and from `words`.
  Mutator(std::vector<std::string> corpus, std::vector<std::string> words);

  std::string mutation(Random& random) const;
  /// With changes within words, of which few are texts any more.
  std::string bytes(Random& random) const;

 private:
  std::vector<std::string> corpus_;
  std::vector<std::vector<std::string>> pieces_;
  std::vector<std::string> words_;
};

/// Ends the process: prints what is wrong with the text that is being read.
[[noreturn]] void give_up(const std::string& reason);

/// The main function of a fuzzer, called as `fuzzer COUNT SEED`, or `fuzzer - FILE` for one text. `text_of`
/// makes texts; `is_accepted` reads one and gives up where something is wrong. A text that takes longer than
/// two seconds, or crashes its reader, is printed, and the process fails.
int run(int argc, char** argv, const std::function<std::string(Random&)>& text_of,
        const std::function<bool(const std::string&)>& is_accepted);

}  // namespace hoist::fuzz
