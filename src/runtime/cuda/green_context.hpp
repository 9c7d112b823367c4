#pragma once
// Green contexts: contexts whose kernels run on some of the multiprocessors. They share memory, code and
// events with the device's own context.
#include <memory>
#include <string>
#include <vector>

#include "runtime/cuda/session.hpp"

namespace hoist::runtime::cuda {

class GreenContext {
 public:
  GreenContext(SessionPtr session, CUgreenCtx green, CUcontext context, std::size_t multiprocessors)
      : session_(std::move(session)),
        generation_(session_->generation()),
        green_(green),
        context_(context),
        multiprocessors_(multiprocessors) {}
  ~GreenContext();
  GreenContext(const GreenContext&) = delete;
  GreenContext& operator=(const GreenContext&) = delete;

  CUcontext context() const { return context_; }
  std::size_t multiprocessors() const { return multiprocessors_; }
  std::uint64_t generation() const { return generation_; }

 private:
  SessionPtr session_;
  std::uint64_t generation_;
  CUgreenCtx green_;
  CUcontext context_;
  std::size_t multiprocessors_;
};

struct Division {
  std::vector<std::shared_ptr<GreenContext>> contexts;  ///< none where the device cannot be divided so
  std::string note;                                     ///< why not
};

/// Green contexts whose multiprocessors are as many as can be, and differ by one granule at most.
Division divide_multiprocessors(const SessionPtr& session, std::size_t count);

/// The smallest parts into which the driver divides the device.
struct Granules {
  std::size_t count = 0;            ///< 0 where there are no green contexts
  std::size_t multiprocessors = 0;  ///< of each
};
Granules granules(const Session& session);

}  // namespace hoist::runtime::cuda
