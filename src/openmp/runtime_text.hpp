#pragma once
// The run time that translated programs are compiled with.
#include <string>

namespace hoist::openmp {

std::string runtime_header();  ///< hoist_openmp.h
std::string runtime_source();  ///< hoist_openmp.c

}  // namespace hoist::openmp
