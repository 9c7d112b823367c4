#include "learn/xgboost.hpp"

#include <limits>

#include "base/library.hpp"
#include "base/need.hpp"

namespace hoist::learn::xgboost {

namespace {

/// A matrix and a booster, freed at the end.
class Session {
 public:
  Session() : functions_(load()) {}
  ~Session() {
    if (booster_) functions_.XGBoosterFree(booster_);
    if (matrix_) functions_.XGDMatrixFree(matrix_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void give(const Data& data) {
    const float missing = std::numeric_limits<float>::quiet_NaN();
    expect(functions_.XGDMatrixCreateFromMat_omp(data.rows.data(), data.rows.size() / data.width, data.width,
                                                 missing, &matrix_, 1));
    set("label", data.targets);
    if (!data.groups.empty()) {
      expect(functions_.XGDMatrixSetUIntInfo(matrix_, "group", data.groups.data(), data.groups.size()));
    }
    set("weight", data.weights);
    expect(functions_.XGBoosterCreate(&matrix_, 1, &booster_));
  }
  void set(const Parameter& parameter) {
    expect(functions_.XGBoosterSetParam(booster_, parameter.name, parameter.value.c_str()));
  }
  void step(int round) { expect(functions_.XGBoosterUpdateOneIter(booster_, round, matrix_)); }
  std::string model() {
    Count size = 0;
    const char* text = nullptr;
    expect(functions_.XGBoosterSaveModelToBuffer(booster_, R"({"format": "json"})", &size, &text));
    return {text, static_cast<std::size_t>(size)};
  }

 private:
  void set(const char* field, const std::vector<float>& numbers) {
    expect(functions_.XGDMatrixSetFloatInfo(matrix_, field, numbers.data(), numbers.size()));
  }
  void expect(int status) const {
    if (status != 0) throw_failure(ErrorKind::Device, "xgboost failed", functions_.XGBGetLastError());
  }

  Functions functions_;
  Matrix matrix_ = nullptr;
  Booster booster_ = nullptr;
};

}  // namespace

Functions load() {
  // Debian's name, and that of the library's authors.
  static const LibraryPlace place{
      .what = "xgboost (which learning this kind of model needs)",
      .variable = "HOIST_XGBOOST_LIBRARY",
      .names = {"libxgboost.so.0", "libxgboost.so"},
      .oldest = "1.6",
      .remedy =
          "install it (libxgboost0 on Debian), name its libxgboost.so in HOIST_XGBOOST_LIBRARY, or learn one "
          "of the kinds 'network' and 'paper', which need no library",
      .kind = ErrorKind::User};
  return need(functions_of<Functions>(Library::open(place), [](Library& library, Functions& functions) {
#define HOIST_FIND_FUNCTION(result, name, parameters) library.find(#name, functions.name);
    HOIST_XGBOOST_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
  }));
}

std::string train(const Data& data, const std::vector<Parameter>& parameters, int rounds) {
  Session session;
  session.give(data);
  for (const Parameter& parameter : parameters) session.set(parameter);
  for (int round = 0; round < rounds; ++round) session.step(round);
  return session.model();
}

}  // namespace hoist::learn::xgboost
