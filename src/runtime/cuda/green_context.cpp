#include "runtime/cuda/green_context.hpp"

#include <algorithm>
#include <span>

namespace hoist::runtime::cuda {

namespace {

/// The multiprocessors in equal groups of at least `least`, and those that are left over.
struct Groups {
  CUresult status = CUDA_SUCCESS;
  std::vector<CUdevResource> groups;
  CUdevResource rest;
};

bool has_green_contexts(const Driver& driver) {
#define HOIST_IS_THERE(name, parameters) &&driver.name != nullptr
  return true HOIST_GREEN_CONTEXT_FUNCTIONS(HOIST_IS_THERE);
#undef HOIST_IS_THERE
}

Groups split(const Session& session, std::size_t least, std::size_t most_groups) {
  const Driver& driver = session.driver();
  Groups made;
  CUdevResource whole;
  made.status = driver.cuDeviceGetDevResource(session.device(), &whole, CU_DEV_RESOURCE_TYPE_SM);
  if (made.status != CUDA_SUCCESS) return made;
  // Kernels of Hoist have no clusters of groups, which alone need multiprocessors that lie together.
  constexpr unsigned int flags = CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING;
  unsigned int count = 0;
  made.status = driver.cuDevSmResourceSplitByCount(nullptr, &count, &whole, nullptr, flags,
                                                   static_cast<unsigned int>(least));
  if (made.status != CUDA_SUCCESS) return made;
  count = static_cast<unsigned int>(std::min<std::size_t>(count, most_groups));
  made.groups.resize(count);
  made.status = driver.cuDevSmResourceSplitByCount(made.groups.data(), &count, &whole, &made.rest, flags,
                                                   static_cast<unsigned int>(least));
  made.groups.resize(made.status == CUDA_SUCCESS ? count : 0);
  return made;
}

/// A green context of these resources; null, and the status, where it cannot be made.
std::shared_ptr<GreenContext> make_context(const SessionPtr& session, std::span<CUdevResource> resources,
                                           CUresult& status) {
  const Driver& driver = session->driver();
  CUdevResourceDesc description = nullptr;
  status = driver.cuDevResourceGenerateDesc(&description, resources.data(),
                                            static_cast<unsigned int>(resources.size()));
  if (status != CUDA_SUCCESS) return nullptr;
  CUgreenCtx green = nullptr;
  status = driver.cuGreenCtxCreate(&green, description, session->device(), CU_GREEN_CTX_DEFAULT_STREAM);
  if (status != CUDA_SUCCESS) return nullptr;
  CUcontext context = nullptr;
  status = driver.cuCtxFromGreenCtx(&context, green);
  if (status != CUDA_SUCCESS) {
    driver.cuGreenCtxDestroy(green);
    return nullptr;
  }
  session->add_green(green);
  std::size_t multiprocessors = 0;
  for (const CUdevResource& resource : resources) multiprocessors += resource.sm.smCount;
  return std::make_shared<GreenContext>(session, green, context, multiprocessors);
}

/// A context for each of `count` shares of the groups.
Division shares(const SessionPtr& session, std::vector<CUdevResource>& groups, std::size_t count) {
  Division division;
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t first = at * groups.size() / count, end = (at + 1) * groups.size() / count;
    CUresult status = CUDA_SUCCESS;
    auto context = make_context(session, std::span(groups).subspan(first, end - first), status);
    if (!context)
      return {{},
              fmt::format("the driver makes no green context: {}", status_text(session->driver(), status))};
    division.contexts.push_back(std::move(context));
  }
  return division;
}

}  // namespace

GreenContext::~GreenContext() {
  if (generation_ != session_->generation()) return;  // it went with the device's context
  if (session_->driver().cuCtxSetCurrent(session_->context()) == CUDA_SUCCESS)
    session_->destroy_green(green_);
}

Granules granules(const Session& session) {
  if (!has_green_contexts(session.driver())) return {};
  const Groups smallest = split(session, 1, session.info().compute_units);
  if (smallest.groups.empty()) return {};
  return {smallest.groups.size(), smallest.groups.front().sm.smCount};
}

Division divide_multiprocessors(const SessionPtr& session, std::size_t count) {
  if (!has_green_contexts(session->driver()))
    return {{}, "the driver has no green contexts, which came with CUDA 12.4"};
  Groups smallest = split(*session, 1, session->info().compute_units);
  if (smallest.status != CUDA_SUCCESS)
    return {{},
            fmt::format("the driver divides no multiprocessors: {}",
                        status_text(session->driver(), smallest.status))};
  if (smallest.groups.size() < count)
    return {{},
            fmt::format("the driver divides the {} multiprocessors into {} parts at most",
                        session->info().compute_units, smallest.groups.size())};
  // All multiprocessors: what no group has goes to the last context. Only groups of one division may be
  // joined.
  if (smallest.rest.sm.smCount > 0) smallest.groups.push_back(smallest.rest);
  Division division = shares(session, smallest.groups, count);
  if (!division.contexts.empty()) return division;
  // A driver that joins no groups makes equal ones, and leaves some multiprocessors idle.
  Groups equal = split(*session, session->info().compute_units / count, count);
  if (equal.groups.size() < count) return division;
  return shares(session, equal.groups, count);
}

}  // namespace hoist::runtime::cuda
