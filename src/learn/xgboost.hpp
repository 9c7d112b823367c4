#pragma once
// The part of xgboost (XGBoost: A Scalable Tree Boosting System, Chen and Guestrin, 2016) that Hoist calls,
// found at run time, so that Hoist builds and starts on machines that have none. Only learning needs it.
// Names are those of xgboost/c_api.h.
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace hoist::learn::xgboost {

using Matrix = void*;         // DMatrixHandle
using Booster = void*;        // BoosterHandle
using Count = std::uint64_t;  // bst_ulong

// clang-format off
#define HOIST_XGBOOST_FUNCTIONS(X)                                                                         \
  X(void, XGBoostVersion, (int* major, int* minor, int* patch))                                            \
  X(const char*, XGBGetLastError, ())                                                                      \
  X(int, XGDMatrixCreateFromMat_omp, (const float* numbers, Count rows, Count columns, float missing,      \
                                      Matrix* result, int threads))                                        \
  X(int, XGDMatrixSetFloatInfo, (Matrix, const char* field, const float* numbers, Count count))            \
  X(int, XGDMatrixSetUIntInfo, (Matrix, const char* field, const unsigned* numbers, Count count))          \
  X(int, XGDMatrixFree, (Matrix))                                                                          \
  X(int, XGBoosterCreate, (const Matrix matrices[], Count count, Booster* result))                         \
  X(int, XGBoosterFree, (Booster))                                                                         \
  X(int, XGBoosterSetParam, (Booster, const char* name, const char* value))                                \
  X(int, XGBoosterUpdateOneIter, (Booster, int iteration, Matrix))                                         \
  X(int, XGBoosterSaveModelToBuffer, (Booster, const char* config, Count* size, const char** result))
// clang-format on

/// xgboost's functions under their own names.
struct Functions {
#define HOIST_DECLARE_FUNCTION(result, name, parameters) result(*name) parameters = nullptr;
  HOIST_XGBOOST_FUNCTIONS(HOIST_DECLARE_FUNCTION)
#undef HOIST_DECLARE_FUNCTION
};

/// Opens the library that the environment variable HOIST_XGBOOST_LIBRARY names, else libxgboost.so.0 or
/// libxgboost.so. It stays open. Throws a User error when it is missing.
Functions load();

/// What trees are learned from.
struct Data {
  std::size_t width = 0;
  std::vector<float> rows;  ///< one after the other, of `width` numbers each
  std::vector<float> targets;
  std::vector<float> weights;         ///< of rows; of groups where there are groups
  std::vector<std::uint32_t> groups;  ///< how many rows each has, for objectives that rank; may be empty
};

struct Parameter {
  const char* name;
  std::string value;
};

/// The model after so many rounds, as xgboost's JSON.
std::string train(const Data& data, const std::vector<Parameter>& parameters, int rounds);

}  // namespace hoist::learn::xgboost
