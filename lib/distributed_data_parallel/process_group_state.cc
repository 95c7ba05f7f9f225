#include "lib/distributed_data_parallel/process_group_state.h"

#include <torch/cuda.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/hierarchical_communicator.h"
#include "lib/communicator/nccl_environment.h"
#include "lib/communicator/shared_memory_communicator.h"
#include "lib/launch/environment_reader.h"
#include "lib/launch/launch_environment.h"
#include "lib/launch/virtual_hosts.h"

namespace lockstep {
namespace {

constexpr char kHere[] = "lockstep::ProcessGroup: ";

// Time for which a rank that is done waits for the others. They differ by milliseconds after their last call.
constexpr absl::Duration kLeaveTimeout = absl::Seconds(5);

const char* NameOf(Backend backend) {
  switch (backend) {
    case Backend::kSharedMemory:
      return "kSharedMemory";
    case Backend::kGloo:
      return "kGloo";
    case Backend::kNccl:
      return "kNccl";
    case Backend::kAuto:
      break;
  }
  return "kAuto";
}

absl::Status CheckBackend(Backend backend, torch::Device device) {
  if (!device.is_cpu() && !device.is_cuda()) {
    return absl::InvalidArgumentError(absl::StrCat(kHere, "expected device cpu or cuda, found ", device.str()));
  }
  if (backend != Backend::kAuto && (backend == Backend::kNccl) != device.is_cuda()) {
    return absl::InvalidArgumentError(
        absl::StrCat(kHere, "backend ", NameOf(backend), " does not fit device ", device.str(),
                     ": set Backend::kAuto, or kNccl for cuda, and kSharedMemory or kGloo for cpu"));
  }
  return absl::OkStatus();
}

std::vector<std::string> KeysOf(const char* prefix, int ranks) {
  std::vector<std::string> keys;
  for (int rank = 0; rank < ranks; ++rank) {
    keys.push_back(absl::StrCat(prefix, rank));
  }
  return keys;
}

}  // namespace

absl::Status ProcessGroupState::Join(const ProcessGroupOptions& options) {
  static std::atomic<bool> made{false};
  if (made.exchange(true)) {
    return absl::FailedPreconditionError(
        absl::StrCat(kHere, "this process has already made a group: keep one for the whole run, and pass it on"));
  }
  timeout = absl::FromChrono(options.timeout);
  if (timeout <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat(kHere, "expected a timeout above 0, found ", absl::FormatDuration(timeout)));
  }
  const EnvironmentLookup lookup = [](const char* name) { return std::getenv(name); };
  ASSIGN_OR_RETURN(place, ReadLaunchPlace("auto", lookup));
  place.one_host = place.one_host || place.size == 1;
  RETURN_IF_ERROR(JoinVirtualHost(lookup, place.rank, place.size));
  RETURN_IF_ERROR(ChooseDevice(options.device));
  RETURN_IF_ERROR(CheckBackend(options.backend, device));
  ASSIGN_OR_RETURN(store, OpenRankStore(place, lookup, timeout));
  RETURN_IF_ERROR(CheckSameOptions(options));
  return MakeCommunicator(options.backend);
}

absl::Status ProcessGroupState::ChooseDevice(torch::Device asked) {
  device = asked;
  if (asked.is_cuda()) {
    const int index = asked.has_index() ? asked.index() : place.local_rank;
    const int gpus = static_cast<int>(torch::cuda::device_count());
    if (index >= gpus) {
      return absl::InvalidArgumentError(
          absl::StrCat(kHere, "expected a GPU with index ", index, " for rank ", place.rank, ", found ", gpus,
                       " GPUs: start at most one rank per GPU, or set the device to cpu"));
    }
    device = torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(index));
  }
  return absl::OkStatus();
}

absl::Status ProcessGroupState::CheckSameOptions(const ProcessGroupOptions& options) {
  const char* const host_of_rank = std::getenv(kHostOfRankVariable);
  ASSIGN_OR_RETURN(
      const std::vector<std::string> all,
      Gather(absl::StrCat(device.is_cuda() ? "cuda" : "cpu", ", ", NameOf(options.backend), ", ",
                          absl::FormatDuration(timeout), place.one_host ? ", one host" : "",
                          host_of_rank == nullptr ? "" : ", hosts ", host_of_rank == nullptr ? "" : host_of_rank)));
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) {
      return absl::InvalidArgumentError(absl::StrCat(kHere, "rank ", rank, " has the options (", all[rank],
                                                     "), rank 0 has (", all[0],
                                                     "): pass the same device, backend and timeout on all ranks"));
    }
  }
  return absl::OkStatus();
}

absl::Status ProcessGroupState::MakeCommunicator(Backend backend) {
  if (device.is_cuda()) {
    SetNcclEnvironment();
    ASSIGN_OR_RETURN(communicator, MakeNcclCommunicator(*store.store, place.rank, place.size,
                                                        {device.index(), timeout, /*max_multiprocessors=*/0}));
    return absl::OkStatus();
  }
  if (backend == Backend::kSharedMemory) {
    ASSIGN_OR_RETURN(communicator, MakeSharedMemoryCommunicator(*store.store, place.rank, place.size, timeout));
    return absl::OkStatus();
  }
  if (backend == Backend::kAuto) {
    absl::StatusOr<MadeCommunicator> made = MakeCpuCommunicator(*store.store, place.rank, place.size, timeout);
    if (!absl::IsFailedPrecondition(made.status())) {  // all ranks get the same FailedPreconditionError
      RETURN_IF_ERROR(made.status());
      communicator = std::move(made->communicator);
      return absl::OkStatus();
    }
  }
  ASSIGN_OR_RETURN(communicator, MakeGlooCommunicator(*store.store, place.rank, place.size, timeout));
  return absl::OkStatus();
}

absl::Status ProcessGroupState::Note(absl::Status status) {
  if (failure.ok() && !status.ok()) {
    failure = absl::IsUnavailable(status) && place.size > 1
                  ? absl::UnavailableError(absl::StrCat(
                        "rank ", place.rank, " of ", place.size, ": ", status.message(),
                        "; see the errors of the other ranks, and start the run again from its last checkpoint"))
                  : std::move(status);
  }
  return failure;
}

absl::StatusOr<std::vector<std::string>> ProcessGroupState::Gather(absl::string_view bytes) {
  RETURN_IF_ERROR(failure);
  absl::StatusOr<std::vector<std::string>> all = store.store->AllGather(place.rank, place.size, bytes);
  RETURN_IF_ERROR(Note(all.status()));
  return all;
}

// Two rounds: after the first, no rank uses the communicator any more; after the second, no rank except rank 0 uses the
// store.
void ProcessGroupState::Leave() {
  if (store.store == nullptr || place.size == 1 || absl::IsUnavailable(failure)) {
    return;
  }
  Store& all = *store.store;
  all.Set(absl::StrCat("done/", place.rank), "").IgnoreError();
  if (failure.ok() && std::uncaught_exceptions() == 0) {
    all.Wait(KeysOf("done/", place.size), kLeaveTimeout).IgnoreError();
  }
  all.Set(absl::StrCat("left/", place.rank), "").IgnoreError();
  if (place.rank == 0) {
    all.Wait(KeysOf("left/", place.size), kLeaveTimeout).IgnoreError();
  }
}

}  // namespace lockstep
