#include "lib/cifar/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>  // hardware_concurrency
#include <utility>

#include "lib/base/run_tool.h"
#include "lib/base/start_thread.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

// State shared by the threads.
struct Shared {
  std::atomic<size_t> next{0};
  std::atomic<size_t> done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;  // guards the two fields below
  size_t first_index = 0;
  absl::Status first_error;
};

void KeepLowest(Shared& shared, size_t i, absl::Status status) {
  const std::lock_guard<std::mutex> lock(shared.mutex);
  if (shared.first_error.ok() || i < shared.first_index) {
    shared.first_index = i;
    shared.first_error = std::move(status);
  }
  shared.failed = true;
}

// Processes one block, to its end or its first failure.
void WorkOff(size_t worker, size_t begin, size_t end, Shared& shared,
             const std::function<absl::Status(size_t, size_t)>& work) {
  for (size_t i = begin; i < end; ++i) {
    if (absl::Status status = CatchOutOfMemory([&] { return work(worker, i); }); !status.ok()) {
      return KeepLowest(shared, i, std::move(status));
    }
  }
  shared.done += end - begin;
}

void RunWorker(size_t worker, size_t count, const ParallelOptions& options, Shared& shared,
               const std::function<absl::Status(size_t, size_t)>& work) {
  while (!shared.failed && !StopRequested()) {
    const size_t begin = shared.next.fetch_add(options.block);
    if (begin >= count) {
      return;
    }
    WorkOff(worker, begin, std::min(begin + options.block, count), shared, work);
    if (worker == 0 && options.progress != nullptr) {
      options.progress->Update(shared.done);
    }
  }
}

}  // namespace

size_t ParallelThreads(size_t count, const ParallelOptions& options) {
  const size_t wanted = options.threads != 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  const size_t blocks = (count + options.block - 1) / options.block;
  return std::max<size_t>(1, std::min(wanted, blocks));
}

absl::Status ParallelFor(size_t count, const ParallelOptions& options,
                         const std::function<absl::Status(size_t, size_t)>& work) {
  Shared shared;
  ThreadGroup threads;
  bool started = true;
  for (size_t worker = 1; started && worker < ParallelThreads(count, options); ++worker) {
    started = threads.Start([&, worker] { RunWorker(worker, count, options, shared, work); }).ok();
  }
  RunWorker(0, count, options, shared, work);
  threads.Join();
  return shared.first_error.ok() ? CheckNotStopped() : shared.first_error;
}

}  // namespace lockstep
