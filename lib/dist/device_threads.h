// A thread for each device of one process. They live as long as training does: to start one costs more than to hand it
// work.
#ifndef LOCKSTEP_LIB_DIST_DEVICE_THREADS_H_
#define LOCKSTEP_LIB_DIST_DEVICE_THREADS_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

// To be used by one thread at a time.
class DeviceThreads {
 public:
  // A device may be there more than once: each has a thread of its own.
  explicit DeviceThreads(std::vector<c10::Device> devices);
  ~DeviceThreads();  // ends them
  DeviceThreads(const DeviceThreads&) = delete;
  DeviceThreads& operator=(const DeviceThreads&) = delete;

  // Starts the threads that do not run yet. Errors are those of ThreadGroup::Start; a later call tries again.
  absl::Status Start();

  // Starts the threads if need be, and calls task(i) on thread i of the first `count`, all at once, with device i current; returns when all have returned.
  // A device's queue is not waited for. The first device's error is returned, and says which device it was; what a task
  // throws is one too (lib/device/torch_status.h). After an error the threads can be used again.
  absl::Status Run(size_t count, const std::function<absl::Status(size_t)>& task);

 private:
  class Worker;

  const std::vector<c10::Device> devices_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_DEVICE_THREADS_H_
