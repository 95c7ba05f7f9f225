// Flags (lib/peer/peer_flags.h) of ranks whose GPUs share memory, and the report of a rank that did not come.
#ifndef LOCKSTEP_LIB_PEER_DEVICE_FLAGS_H_
#define LOCKSTEP_LIB_PEER_DEVICE_FLAGS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/peer/device_memory.h"
#include "lib/peer/peer_flags.h"

namespace lockstep {

// Bytes of the flags, a rank's epoch, and the word that records a wait that was given up, at the start of the rank's
// memory.
inline constexpr size_t kDeviceFlagsBytes = kPeerFlagBytes + 64;

class DeviceFlags {
 public:
  // Sets up the flags. `memory` must be new and zero, and outlive this object. The current device must be that of
  // `rank`. A wait ends after `timeout`, or up to 8.6 s later. The flags may be used when all ranks have made theirs.
  // `names`: number of each rank in the run, for Health; empty: 0 to `size` - 1.
  static absl::StatusOr<std::unique_ptr<DeviceFlags>> Make(const PeerDeviceMemory& memory, int rank, int size,
                                                           absl::Duration timeout, const std::vector<int>& names = {});
  ~DeviceFlags();
  DeviceFlags(const DeviceFlags&) = delete;
  DeviceFlags& operator=(const DeviceFlags&) = delete;

  const PeerFlags& flags() const { return flags_; }

  // Returns UnavailableError("rank 3 WHAT within 10s") if a rank did not arrive within the timeout. Does not wait.
  absl::Status Health(absl::string_view what) const;

 private:
  explicit DeviceFlags(absl::Duration timeout) : timeout_(timeout) {}

  const absl::Duration timeout_;
  PeerFlags flags_;
  // Word in host memory: 1 + the number in the run of the rank that did not come; 0: no such rank.
  uint32_t* missing_rank_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DEVICE_FLAGS_H_
