// NCCL without LibTorch's process group: a stream, a non-blocking communicator, and a watchdog.
//
// Rationale: NCCL's kernels never end if another rank is gone, and a blocking communicator cannot be aborted. So every
// call here returns without blocking (ncclInProgress is polled, up to the timeout), and a watchdog thread checks the
// operations in progress. If the oldest operation makes no progress for the timeout, the watchdog aborts the
// communicator. This ends the kernels and everything that waits for them (docs.nvidia.com/deeplearning/nccl, "Fault
// Tolerance").
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <nccl.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>  // yield
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/start_thread.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/nccl_environment.h"
#include "lib/communicator/share_collectives.h"
#include "lib/device/device.h"

namespace lockstep {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(1);
constexpr absl::Duration kSpin = absl::Milliseconds(5);  // time for which a poll spins before it sleeps; see Settle
constexpr absl::Duration kWatchInterval = absl::Milliseconds(100);
constexpr absl::Duration kLeaveTimeout =
    absl::Seconds(10);  // limit for ranks that leave together, which differ by milliseconds
constexpr char kIdKey[] = "nccl/unique_id";

// Returns a new id on rank 0, and an empty text on the others.
absl::StatusOr<std::string> MakeUniqueId(int rank) {
  if (rank != 0) {
    return "";
  }
  ncclUniqueId id;
  if (const ncclResult_t result = ncclGetUniqueId(&id); result != ncclSuccess) {
    return absl::UnavailableError(absl::StrCat("ncclGetUniqueId: ", ncclGetErrorString(result)));
  }
  return std::string(id.internal, sizeof(id.internal));
}

// Returns the id of rank 0. A group gathers it, because a key of the store would still hold the id of an earlier
// communicator of the group.
absl::StatusOr<std::string> ShareBytesOfId(Store& store, int rank, int size, const std::string& group) {
  ASSIGN_OR_RETURN(const std::string own, MakeUniqueId(rank));
  if (!group.empty()) {
    ASSIGN_OR_RETURN(const std::vector<std::string> all, store.AllGatherIn(group, rank, size, own));
    return all[0];
  }
  if (rank != 0) {
    return store.Get(kIdKey);
  }
  RETURN_IF_ERROR(store.Set(kIdKey, own));
  return own;
}

absl::StatusOr<ncclUniqueId> ShareUniqueId(Store& store, int rank, int size, const std::string& group) {
  ASSIGN_OR_RETURN(const std::string bytes, ShareBytesOfId(store, rank, size, group));
  ncclUniqueId id;
  if (bytes.size() != sizeof(id.internal)) {
    return absl::InternalError(
        absl::StrCat("NCCL's id has ", bytes.size(), " bytes, ", sizeof(id.internal), " expected"));
  }
  std::memcpy(id.internal, bytes.data(), bytes.size());
  return id;
}

ncclDataType_t NcclTypeOf(const at::Tensor& flat) {
  return flat.scalar_type() == at::kBFloat16 ? ncclBfloat16 : ncclFloat32;
}

class NcclCommunicator : public Communicator, public ShareCollectives {
 public:
  NcclCommunicator(Store& store, int rank, int size, const NcclOptions& options)
      : Communicator(store, rank, size, options.group), timeout_(options.timeout),
        max_multiprocessors_(options.max_multiprocessors), group_(options.group),
        device_(c10::kCUDA, static_cast<c10::DeviceIndex>(options.device_index)),
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, device_.index())) {}

  ~NcclCommunicator() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    watchdog_.Join();
    const c10::cuda::CUDAGuard guard(device_);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (communicator_ != nullptr && AllPassed() && Settle(ncclCommFinalize(communicator_), "end", kLeaveTimeout).ok()) {
      ncclCommDestroy(std::exchange(communicator_, nullptr));
    }
    Abort(absl::CancelledError("the communicator was destroyed with pending operations"));
  }

  absl::Status Connect(const ncclUniqueId& id) {
    const c10::cuda::CUDAGuard guard(device_);
    const std::lock_guard<std::mutex> lock(mutex_);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    if (max_multiprocessors_ != 0) {
      config.maxCTAs = static_cast<int>(max_multiprocessors_);
      config.minCTAs = 1;
    }
    const ncclResult_t result = ncclCommInitRankConfig(&communicator_, size(), id, rank(), &config);
    RETURN_IF_ERROR(Settle(result, "rendezvous", timeout_));
    return watchdog_.Start([this] { Watch(); });
  }

  absl::string_view name() const override { return "nccl"; }

  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) override {
    return Start("all-reduce", flat, [&](void* data) {
      return ncclAllReduce(data, data, flat.numel(), NcclTypeOf(flat), ncclSum, communicator_, stream_.stream());
    });
  }

  absl::Status Broadcast(const at::Tensor& flat, int root) override {
    const auto enqueue = [&](void* data) {
      return ncclBroadcast(data, data, flat.nbytes(), ncclInt8, root, communicator_, stream_.stream());
    };
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, Start("broadcast", flat, enqueue));
    return collective->Wait();
  }

  absl::Status ReduceScatterSum(const at::Tensor& flat) override {
    return OnShare("reduce-scatter", flat, [&](void* data, void* share, size_t count) {
      return ncclReduceScatter(data, share, count, NcclTypeOf(flat), ncclSum, communicator_, stream_.stream());
    });
  }

  absl::Status GatherShares(const at::Tensor& flat) override {
    return OnShare("all-gather", flat, [&](void* data, void* share, size_t count) {
      return ncclAllGather(share, data, count, NcclTypeOf(flat), communicator_, stream_.stream());
    });
  }

  absl::Status Health() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return status_;
  }

 private:
  struct Pending {
    std::string what;
    Timestamp end;
  };

  class NcclCollective : public Collective {
   public:
    NcclCollective(const NcclCommunicator& owner, at::Tensor flat, Timestamp begin, Timestamp end)
        : owner_(owner), flat_(std::move(flat)), begin_(std::move(begin)), end_(std::move(end)) {}

    absl::Status Wait() override {
      end_.Block(CurrentStream(flat_.device()));
      return owner_.Health();
    }
    Timestamp begin() const override { return begin_; }
    Timestamp end() const override { return end_; }

   private:
    const NcclCommunicator& owner_;
    const at::Tensor flat_;
    const Timestamp begin_, end_;
  };

  std::string Describe(absl::string_view operation) const {
    return absl::StrCat("nccl ", operation, group_.empty() ? "" : " of ", group_);
  }

  // Aborts the communicator; the first cause is kept. The mutex must be held, here and in all functions below.
  void Abort(absl::Status cause) {
    status_.Update(std::move(cause));
    pending_.clear();
    if (communicator_ != nullptr) {
      ncclCommAbort(std::exchange(communicator_, nullptr));
    }
  }

  // Waits until the communicator has enqueued a call that returned `result`. A collective is enqueued within tens of
  // microseconds, and the training step waits for it here: with a sleep of a millisecond instead of spinning, the
  // all-reduce of 44.7 MB took 1137 us on two GPUs instead of 180 us. A rendezvous takes seconds, hence the sleep after
  // kSpin.
  absl::Status Settle(ncclResult_t result, absl::string_view operation, absl::Duration timeout) {
    const MonotonicTime start = MonotonicTime::Now();
    for (MonotonicTime now = start; result == ncclInProgress && now < start + timeout; now = MonotonicTime::Now()) {
      if (now < start + kSpin) {
        std::this_thread::yield();
      } else {
        absl::SleepFor(kPollInterval);
      }
      if (ncclCommGetAsyncError(communicator_, &result) != ncclSuccess) {
        break;
      }
    }
    if (result == ncclSuccess) {
      return absl::OkStatus();
    }
    const std::string reason = result == ncclInProgress
                                   ? absl::StrCat("no answer from the other ranks for ", absl::FormatDuration(timeout))
                                   : std::string(ncclGetErrorString(result));
    Abort(absl::UnavailableError(absl::StrCat(Describe(operation), ": ", reason)));
    return status_;
  }

  // Returns true if work on the communication stream is being captured in a graph.
  bool IsCaptured() const {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream_.stream(), &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
  }

  // Makes the communication stream wait for the current stream's work so far, runs the operation on it, and records
  // timestamps before and after the operation.
  template <typename Enqueue>
  absl::StatusOr<std::shared_ptr<Collective>> Start(absl::string_view operation, const at::Tensor& flat,
                                                    const Enqueue& enqueue) {
    const std::lock_guard<std::mutex> lock(mutex_);
    RETURN_IF_ERROR(status_);
    Timestamp::OnStream(CurrentStream(device_)).Block(stream_.unwrap());
    const Timestamp begin = Timestamp::OnStream(stream_.unwrap());
    RETURN_IF_ERROR(Settle(enqueue(flat.data_ptr()), operation, timeout_));
    const Timestamp end = Timestamp::OnStream(stream_.unwrap());
    if (IsCaptured()) {  // runs when the graph is replayed; the replaying code must watch it
      return std::shared_ptr<Collective>(std::make_shared<NcclCollective>(*this, flat, begin, end));
    }
    if (pending_.empty()) {
      last_progress_ = MonotonicTime::Now();
    }
    pending_.push_back({absl::StrCat(Describe(operation), " number ", ++count_), end});
    return std::shared_ptr<Collective>(std::make_shared<NcclCollective>(*this, flat, begin, end));
  }

  // `enqueue` gets the tensor's data, this rank's share of it, and the number of elements in the share.
  template <typename Enqueue>
  absl::Status OnShare(absl::string_view operation, const at::Tensor& flat, const Enqueue& enqueue) {
    const size_t count = static_cast<size_t>(flat.numel()) / static_cast<size_t>(size());
    if (static_cast<size_t>(flat.numel()) != count * static_cast<size_t>(size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a multiple of ", size(), " elements, found ", flat.numel()));
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, Start(operation, flat, [&](void* data) {
                       return enqueue(data, static_cast<char*>(data) + flat.element_size() * count * rank(), count);
                     }));
    return collective->Wait();
  }

  void Watch() {
    const c10::cuda::CUDAGuard guard(device_);
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopping_ && status_.ok()) {
      wake_.wait_for(lock, absl::ToChronoMilliseconds(kWatchInterval));
      CheckProgress();
    }
  }

  // Removes the completed operations from `pending_`. Returns true if no operation is left.
  bool AllPassed() {
    while (!pending_.empty() && pending_.front().end.Passed()) {
      pending_.pop_front();
      last_progress_ = MonotonicTime::Now();
    }
    return pending_.empty();
  }

  void CheckProgress() {
    const bool idle = AllPassed();
    ncclResult_t result = ncclSuccess;
    if (communicator_ != nullptr && ncclCommGetAsyncError(communicator_, &result) == ncclSuccess &&
        result != ncclSuccess && result != ncclInProgress) {
      Abort(absl::UnavailableError(absl::StrCat(Describe("peers"), ": ", ncclGetErrorString(result))));
    } else if (!idle && MonotonicTime::Now() - last_progress_ > timeout_) {
      Abort(absl::UnavailableError(
          absl::StrCat(pending_.front().what, ": not complete after ", absl::FormatDuration(timeout_))));
    }
  }

  const absl::Duration timeout_;
  const uint32_t max_multiprocessors_;
  const std::string group_;  // NcclOptions::group
  const c10::Device device_;
  const c10::cuda::CUDAStream stream_;
  mutable std::mutex mutex_;  // guards all NCCL calls and all members below
  std::condition_variable wake_;
  ncclComm_t communicator_ = nullptr;
  absl::Status status_;
  std::deque<Pending> pending_;  // operations in stream order
  MonotonicTime last_progress_ = MonotonicTime::InfinitePast();
  uint64_t count_ = 0;
  bool stopping_ = false;
  ThreadGroup watchdog_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Communicator>> MakeNcclCommunicator(Store& store, int rank, int size,
                                                                   const NcclOptions& options) {
  SetNcclEnvironment();
  SetNcclHostId(rank, RanksPerGpu(), CountRankGpus() / RanksPerGpu());
  ASSIGN_OR_RETURN(const ncclUniqueId id, ShareUniqueId(store, rank, size, options.group));
  auto communicator = std::make_unique<NcclCommunicator>(store, rank, size, options);
  RETURN_IF_ERROR(communicator->Connect(id));
  return std::unique_ptr<Communicator>(std::move(communicator));
}

}  // namespace lockstep
