// A thread for each device of one process. The threads live as long as training, because starting a thread costs more
// than handing it work.
#ifndef LOCKSTEP_LIB_DATA_PARALLEL_DEVICE_THREADS_H_
#define LOCKSTEP_LIB_DATA_PARALLEL_DEVICE_THREADS_H_

#include <c10/core/Device.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

// Must be used by one thread at a time.
class DeviceThreads {
 public:
  // `devices` may list a device more than once: each entry has its own thread.
  explicit DeviceThreads(std::vector<c10::Device> devices);
  ~DeviceThreads();  // ends the threads
  DeviceThreads(const DeviceThreads&) = delete;
  DeviceThreads& operator=(const DeviceThreads&) = delete;

  // Starts the threads that are not running yet. Errors are those of ThreadGroup::Start; a later call retries.
  absl::Status Start();

  // Starts the threads if necessary, calls task(i) concurrently on thread i of the first `count`, with device i
  // current, and returns when all tasks have returned. Does not wait for the devices' streams. Returns the error of the
  // first device that failed, with its name; an exception becomes an error (lib/device/torch_status.h). After an error
  // the threads can be used again.
  absl::Status Run(size_t count, const std::function<absl::Status(size_t)>& task);

 private:
  class Worker;

  const std::vector<c10::Device> devices_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATA_PARALLEL_DEVICE_THREADS_H_
