#include "lib/data_parallel/device_threads.h"

#include <c10/core/DeviceGuard.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/start_thread.h"
#include "lib/base/status_macros.h"
#include "lib/device/torch_status.h"

namespace lockstep {

// One thread and its current task, if any.
class DeviceThreads::Worker {
 public:
  Worker() = default;
  ~Worker() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.Join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Starts the thread. Must be called once.
  absl::Status Start() {
    return thread_.Start([this] { Loop(); });
  }

  // Hands over `work`, which must not throw. The worker must be idle.
  void Begin(std::function<void()> work) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      work_ = std::move(work);
    }
    changed_.notify_all();
  }

  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return work_ == nullptr; });
  }

 private:
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ending_ || work_ != nullptr; });
      if (work_ == nullptr) {
        return;
      }
      lock.unlock();
      work_();
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;  // empty: idle
  bool ending_ = false;
  ThreadGroup thread_;  // last member, because the thread uses the others
};

DeviceThreads::DeviceThreads(std::vector<c10::Device> devices) : devices_(std::move(devices)) {}

DeviceThreads::~DeviceThreads() = default;

absl::Status DeviceThreads::Start() {
  while (workers_.size() < devices_.size()) {
    auto worker = std::make_unique<Worker>();
    RETURN_IF_ERROR(worker->Start());
    workers_.push_back(std::move(worker));
  }
  return absl::OkStatus();
}

absl::Status DeviceThreads::Run(size_t count, const std::function<absl::Status(size_t)>& task) {
  RETURN_IF_ERROR(Start());
  std::vector<absl::Status> statuses(count);
  for (size_t i = 0; i < count; ++i) {
    workers_[i]->Begin([this, i, &task, &statuses] {
      const std::string name = absl::StrCat("device ", i, " of ", devices_.size(), " (", devices_[i].str(), ")");
      bool returned = false;
      statuses[i] = CatchTorchErrors(name, [&] {
        const c10::DeviceGuard guard(devices_[i]);
        const absl::Status status = task(i);
        returned = true;
        return status;
      });
      if (returned && !statuses[i].ok()) {
        statuses[i] = absl::Status(statuses[i].code(), absl::StrCat(name, ": ", statuses[i].message()));
      }
    });
  }
  for (size_t i = 0; i < count; ++i) {
    workers_[i]->Wait();
  }
  for (const absl::Status& status : statuses) {
    RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

}  // namespace lockstep
