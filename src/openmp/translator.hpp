#pragma once
// A file of OpenMP C made into one whose loops run on a device.
#include <clang/AST/ASTContext.h>
#include <clang/Rewrite/Core/Rewriter.h>

#include <string>
#include <vector>

#include "openmp/kernel_text.hpp"
#include "openmp/offer.hpp"

namespace hoist::openmp {

struct TranslationOptions {
  Language language = Language::OpenCL;
  /// No other file calls functions of this one, so that arrays may stay on the device between calls.
  bool is_whole_program = false;
  std::string file;  ///< the program's path, for the checks of what is offered
  /// Where programs of Hoist are written to, as the user calls it.
  std::string directory;
};

/// What is told of a place.
struct Told {
  clang::SourceLocation where;
  enum Kind { StaysOnHost, Remark, NoProgram } kind = StaysOnHost;
  std::string text;
};

struct Translation {
  std::string source;   ///< the file, rewritten
  std::string kernels;  ///< their text
  std::size_t loops = 0, translated = 0;
  std::vector<Told> told;
  std::vector<Offer> offers;
};

/// `stem` is the file's name without its ending. `first_include` is where its first #include stands, if any.
Translation translate(clang::ASTContext& context, clang::Rewriter& rewriter, const std::string& stem,
                      clang::SourceLocation first_include, const TranslationOptions& options);
/// A C identifier with a file's name in it.
std::string identifier(const std::string& stem);

}  // namespace hoist::openmp
