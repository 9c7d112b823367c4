#include "learn/xgboost.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <limits>

namespace hoist::learn::xgboost {

namespace {

void* open_library() {
  if (const char* named = std::getenv("HOIST_XGBOOST_LIBRARY"))
    return dlopen(named, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  // Debian's name, and that of the library's authors.
  for (const char* name : {"libxgboost.so.0", "libxgboost.so"}) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return handle;
  }
  return nullptr;
}

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
  void* handle = open_library();
  if (!handle) {
    throw_user("learning this kind of model needs xgboost, which cannot be opened", dlerror(),
               "install it (libxgboost0 on Debian), name its libxgboost.so in HOIST_XGBOOST_LIBRARY, or "
               "learn one of "
               "the kinds 'network' and 'paper', which need no library");
  }
  Functions functions;
  const char* missing = nullptr;
#define HOIST_FIND_FUNCTION(result, name, parameters)                            \
  functions.name = reinterpret_cast<result(*) parameters>(dlsym(handle, #name)); \
  if (!functions.name) missing = #name;
  HOIST_XGBOOST_FUNCTIONS(HOIST_FIND_FUNCTION)
#undef HOIST_FIND_FUNCTION
  if (missing) {
    throw_user(
        fmt::format("the library of xgboost is none, or older than 1.6: it has no function {}", missing), {},
        "name another library in HOIST_XGBOOST_LIBRARY");
  }
  return functions;
}

std::string train(const Data& data, const std::vector<Parameter>& parameters, int rounds) {
  Session session;
  session.give(data);
  for (const Parameter& parameter : parameters) session.set(parameter);
  for (int round = 0; round < rounds; ++round) session.step(round);
  return session.model();
}

}  // namespace hoist::learn::xgboost
