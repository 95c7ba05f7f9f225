// Communicator: collective operations on tensors by the ranks of a run, one interface over Gloo (CPU), NCCL (GPU) and
// shared memory (CPUs of one host).
//
// Every rank must make the same calls in the same order. If a rank is gone, or silent for the timeout, the call that
// waits for it returns Unavailable; the communicator cannot be used after that.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_COMMUNICATOR_H_
#define LOCKSTEP_LIB_COMMUNICATOR_COMMUNICATOR_H_

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/communicator/timestamp.h"
#include "lib/launch/store.h"

namespace lockstep {

// One all-reduce in progress. Keeps its tensor alive.
class Collective {
 public:
  virtual ~Collective() = default;

  // Waits until later work can use the result. For a CPU tensor the caller waits. For a GPU tensor the current stream
  // waits and the caller goes on, so a failure may be reported only by a later call.
  virtual absl::Status Wait() = 0;

  // Return the times at which the operation began and ended, on the device's own clock; valid after Wait(). It begins
  // when its input is ready, so its duration includes the wait for slower ranks.
  virtual Timestamp begin() const = 0;
  virtual Timestamp end() const = 0;
};

class Communicator {
 public:
  // `store` must outlive the communicator. `group`: name of the ranks that form the communicator, unique in the run;
  // empty: all ranks of the run. `rank` and `size` count the ranks of the group.
  Communicator(Store& store, int rank, int size, std::string group = "")
      : store_(store), rank_(rank), size_(size), group_(std::move(group)) {}
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Returns "gloo", "nccl" or "shared_memory".
  virtual absl::string_view name() const = 0;

  // Returns an uninitialized tensor of `elements` elements, in the memory from which it is summed with the fewest
  // copies. All ranks must call it together with the same arguments. The tensor may outlive the communicator.
  virtual absl::StatusOr<at::Tensor> MakeFlat(int64_t elements, const at::TensorOptions& options) {
    return at::empty({elements}, options);
  }

  // Starts replacing `flat` (contiguous, fp32 or bf16) by its sum over the ranks, after the work that is already on the
  // current stream. All ranks must pass the same dtype. A sum of bf16 is rounded to bf16 by each of its N - 1
  // additions, in shared memory only once. (On CPUs fp64 is supported too, for tests.) Over NCCL the operation can be
  // captured in a graph; its timestamps cannot be read then.
  virtual absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) = 0;

  // Replaces `flat` (contiguous) by that of rank `root`. The result is ready on return in the sense of
  // Collective::Wait().
  virtual absl::Status Broadcast(const at::Tensor& flat, int root) = 0;

  // Returns OK as long as no failure is known. Does not contact the other ranks.
  virtual absl::Status Health() const { return absl::OkStatus(); }

  // Gathers small byte strings, or waits for all ranks, over the store (see store.h).
  absl::StatusOr<std::vector<std::string>> AllGather(absl::string_view bytes) {
    return group_.empty() ? store_.AllGather(rank_, size_, bytes) : store_.AllGatherIn(group_, rank_, size_, bytes);
  }
  absl::Status Barrier() {
    return group_.empty() ? store_.Barrier(rank_, size_) : store_.AllGatherIn(group_, rank_, size_, "").status();
  }

 private:
  Store& store_;
  const int rank_;
  const int size_;
  const std::string group_;
};

// Makes a communicator for ranks on CPUs. Unavailable: the other ranks cannot be reached.
absl::StatusOr<std::unique_ptr<Communicator>> MakeGlooCommunicator(Store& store, int rank, int size,
                                                                   absl::Duration timeout);

struct NcclOptions {
  int device_index = 0;              // this rank's GPU
  absl::Duration timeout;            // limit of every wait
  uint32_t max_multiprocessors = 0;  // limit of the SMs that its kernels use; 0: NCCL's own choice
  std::string group = "";  // name of the ranks that form the communicator, unique in the run; empty: all ranks
};

// Makes a communicator for ranks with a GPU each. `rank` and `size` count the ranks of the group; all of them must call
// this function, and may do so more than once. Unavailable: another rank cannot be reached, or this build has no NCCL.
absl::StatusOr<std::unique_ptr<Communicator>> MakeNcclCommunicator(Store& store, int rank, int size,
                                                                   const NcclOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_COMMUNICATOR_H_
