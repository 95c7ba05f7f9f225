// The communicator is non-blocking, like that of lib/communicator: a blocking one would wait without a limit for a rank
// that is gone.
#include "benchmarks/nccl_group.h"

#include <cstring>
#include <thread>  // yield
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

absl::StatusOr<ncclUniqueId> ShareUniqueId(Store& store, const GroupPlace& place) {
  ncclUniqueId id = {};
  if (place.index == 0) {
    if (const ncclResult_t result = ncclGetUniqueId(&id); result != ncclSuccess) {
      return absl::UnavailableError(absl::StrCat("ncclGetUniqueId: ", ncclGetErrorString(result)));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> ids,
                   store.AllGatherIn(place.name, place.index, place.size, {id.internal, sizeof(id.internal)}));
  if (ids[0].size() != sizeof(id.internal)) {
    return absl::InternalError(
        absl::StrCat("NCCL's id has ", ids[0].size(), " bytes, ", sizeof(id.internal), " expected"));
  }
  std::memcpy(id.internal, ids[0].data(), sizeof(id.internal));
  return id;
}

// Returns the address of this rank's share.
void* ShareIn(void* data, size_t share_bytes, int index) {
  return static_cast<char*>(data) + share_bytes * static_cast<size_t>(index);
}

}  // namespace

absl::StatusOr<std::unique_ptr<NcclGroup>> NcclGroup::Make(Store& store, const GroupPlace& place,
                                                           absl::Duration timeout) {
  ASSIGN_OR_RETURN(const ncclUniqueId id, ShareUniqueId(store, place));
  std::unique_ptr<NcclGroup> group(new NcclGroup(place, timeout));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  const ncclResult_t result = ncclCommInitRankConfig(&group->communicator_, place.size, id, place.index, &config);
  RETURN_IF_ERROR(group->Settle(result, "rendezvous"));
  return group;
}

NcclGroup::~NcclGroup() {
  if (communicator_ != nullptr) {
    ncclCommAbort(communicator_);
  }
}

absl::Status NcclGroup::AllReduceSum(void* data, size_t count, ncclDataType_t type, cudaStream_t stream) {
  return Settle(ncclAllReduce(data, data, count, type, ncclSum, communicator_, stream), "all-reduce");
}

absl::Status NcclGroup::ReduceScatterSum(void* data, size_t count, size_t element_bytes, ncclDataType_t type,
                                         cudaStream_t stream) {
  const size_t share = count / static_cast<size_t>(size());
  return Settle(ncclReduceScatter(data, ShareIn(data, share * element_bytes, index()), share, type, ncclSum,
                                  communicator_, stream),
                "reduce-scatter");
}

absl::Status NcclGroup::AllGather(void* data, size_t count, size_t element_bytes, ncclDataType_t type,
                                  cudaStream_t stream) {
  const size_t share = count / static_cast<size_t>(size());
  return Settle(ncclAllGather(ShareIn(data, share * element_bytes, index()), data, share, type, communicator_, stream),
                "all-gather");
}

absl::Status NcclGroup::Settle(ncclResult_t result, absl::string_view operation) {
  const MonotonicTime end = MonotonicTime::Now() + timeout_;
  while (result == ncclInProgress && MonotonicTime::Now() < end) {
    std::this_thread::yield();
    if (ncclCommGetAsyncError(communicator_, &result) != ncclSuccess) {
      break;
    }
  }
  if (result == ncclSuccess) {
    return absl::OkStatus();
  }
  const std::string reason = result == ncclInProgress
                                 ? absl::StrCat("no answer from the other ranks for ", absl::FormatDuration(timeout_))
                                 : std::string(ncclGetErrorString(result));
  return absl::UnavailableError(absl::StrCat("nccl ", operation, " in the group '", place_.name, "': ", reason));
}

}  // namespace lockstep
