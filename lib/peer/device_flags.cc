#include "lib/peer/device_flags.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {
namespace {

constexpr double kClockTurnSeconds = 4.294967296;  // period of the clock in wait_report.h
constexpr uint32_t kFirstEpoch = 1;

}  // namespace

absl::StatusOr<std::unique_ptr<DeviceFlags>> DeviceFlags::Make(const PeerDeviceMemory& memory, int rank, int size,
                                                               absl::Duration timeout, const std::vector<int>& names) {
  std::unique_ptr<DeviceFlags> made(new DeviceFlags(timeout));
  void* word = nullptr;
  RETURN_IF_ERROR(
      CudaStatus(cudaHostAlloc(&word, sizeof(uint32_t), cudaHostAllocMapped), "allocating a word of host memory"));
  made->missing_rank_ = static_cast<uint32_t*>(word);
  *made->missing_rank_ = 0;
  PeerFlags& flags = made->flags_;
  flags.rank = static_cast<uint32_t>(rank);
  flags.ranks = static_cast<uint32_t>(size);
  flags.max_clock_turns =
      static_cast<uint32_t>(std::max(1.0, std::ceil(absl::ToDoubleSeconds(timeout) / kClockTurnSeconds)));
  for (int other = 0; other < size; ++other) {
    flags.flags[other] = reinterpret_cast<uint32_t*>(memory.of(other));
    flags.report[other] = {made->missing_rank_, static_cast<uint32_t>(names.empty() ? other : names[other]) + 1};
  }
  flags.epoch = reinterpret_cast<uint32_t*>(memory.of(rank) + kPeerFlagBytes);
  flags.given_up = flags.epoch + 1;
  RETURN_IF_ERROR(CudaStatus(CopyToDevice(flags.epoch, &kFirstEpoch, sizeof(kFirstEpoch)), "setting the first epoch"));
  return made;
}

DeviceFlags::~DeviceFlags() { cudaFreeHost(missing_rank_); }

absl::Status DeviceFlags::Health(absl::string_view what) const {
  const uint32_t missing = *static_cast<const volatile uint32_t*>(missing_rank_);
  return missing == 0 ? absl::OkStatus()
                      : absl::UnavailableError(
                            absl::StrCat("rank ", missing - 1, " ", what, " within ", absl::FormatDuration(timeout_)));
}

}  // namespace lockstep
