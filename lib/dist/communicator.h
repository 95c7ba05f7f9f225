// What the ranks of a run do together on tensors: one interface over Gloo (CPU) and NCCL (GPU).
//
// Every rank makes the same calls in the same order. A rank that is gone, or silent for the timeout, ends the call that
// waits for it with Unavailable; after that the communicator is of no use.
#ifndef LOCKSTEP_LIB_DIST_COMMUNICATOR_H_
#define LOCKSTEP_LIB_DIST_COMMUNICATOR_H_

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/dist/time_mark.h"
#include "lib/launch/store.h"

namespace lockstep {

// One all-reduce under way. Keeps its tensor alive.
class Collective {
 public:
  virtual ~Collective() = default;

  // Returns when the result is there for what follows: for a CPU tensor it waits; for a GPU tensor the current stream
  // waits and the caller goes on, so that a failure may show only in a later call.
  virtual absl::Status Wait() = 0;

  // When it began and ended, on the device's own clock; valid after Wait. The beginning is when the operation could
  // start, its input being ready; it includes the wait for slower ranks.
  virtual TimeMark begin() const = 0;
  virtual TimeMark end() const = 0;
};

class Communicator {
 public:
  // `store` outlives the communicator.
  Communicator(Store& store, int rank, int size) : store_(store), rank_(rank), size_(size) {}
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // "gloo", "nccl" or "shared_memory".
  virtual absl::string_view name() const = 0;

  // A tensor of so many elements, which may hold anything, in the memory from which it is summed with the fewest copies.
  // All ranks call it together, with the same, and may keep it for longer than the communicator.
  virtual absl::StatusOr<at::Tensor> MakeFlat(int64_t elements, const at::TensorOptions& options) {
    return at::empty({elements}, options);
  }

  // Starts replacing `flat` (contiguous, fp32 or bf16) by its sum over the ranks, after what the current stream holds so
  // far. All ranks pass the same dtype. A sum of bf16 is rounded to bf16 by each of its N - 1 additions, in shared memory
  // once. (On CPUs fp64 is summed, too, which tests use.) Over NCCL it can be captured as part of a graph; its marks are
  // then none that can be read.
  virtual absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) = 0;

  // Replaces `flat` (contiguous) by that of rank `root`; done when it returns, as Collective::Wait is.
  virtual absl::Status Broadcast(const at::Tensor& flat, int root) = 0;

  // OK as long as no failure is known. Not a check of the other ranks.
  virtual absl::Status Health() const { return absl::OkStatus(); }

  // Small bytes and rendezvous, over the store (see store.h).
  absl::StatusOr<std::vector<std::string>> AllGather(absl::string_view bytes) {
    return store_.AllGather(rank_, size_, bytes);
  }
  absl::Status Barrier() { return store_.Barrier(rank_, size_); }

 private:
  Store& store_;
  const int rank_;
  const int size_;
};

// For ranks on CPUs. Unavailable when the others cannot be reached.
absl::StatusOr<std::unique_ptr<Communicator>> MakeGlooCommunicator(Store& store, int rank, int size,
                                                                   absl::Duration timeout);

struct NcclOptions {
  int device_index = 0;              // this rank's GPU
  absl::Duration timeout;            // of every wait
  uint32_t max_multiprocessors = 0;  // that its kernels take; 0: as many as NCCL thinks best
};

// For ranks with a GPU each. Unavailable also when this build is without NCCL.
absl::StatusOr<std::unique_ptr<Communicator>> MakeNcclCommunicator(Store& store, int rank, int size,
                                                                   const NcclOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_COMMUNICATOR_H_
