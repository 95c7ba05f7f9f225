// The flags (lib/kernels/peer_flags.h) of ranks whose GPUs share memory, and who it was that did not come.
#ifndef LOCKSTEP_LIB_PEER_DEVICE_FLAGS_H_
#define LOCKSTEP_LIB_PEER_DEVICE_FLAGS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/kernels/peer_flags.h"
#include "lib/peer/device_memory.h"

namespace lockstep {

// What the flags, a rank's epoch and whether a wait has been given up take, at the beginning of its piece of memory.
inline constexpr size_t kDeviceFlagsBytes = kPeerFlagBytes + 64;

class DeviceFlags {
 public:
  // `memory`, new and zero, outlives it; the piece of `rank` is of the current device. A wait ends after `timeout` or up
  // to 8.6 s later. Other ranks may use the flags when all have made theirs.
  static absl::StatusOr<std::unique_ptr<DeviceFlags>> Make(const PeerDeviceMemory& memory, int rank, int size,
                                                           absl::Duration timeout);
  ~DeviceFlags();
  DeviceFlags(const DeviceFlags&) = delete;
  DeviceFlags& operator=(const DeviceFlags&) = delete;

  const PeerFlags& flags() const { return flags_; }

  // Unavailable: a rank did not come within the timeout, "rank 3 WHAT within 10s". Does not wait.
  absl::Status Health(absl::string_view what) const;

 private:
  explicit DeviceFlags(absl::Duration timeout) : timeout_(timeout) {}

  const absl::Duration timeout_;
  PeerFlags flags_;
  uint32_t* silent_ = nullptr;  // host memory: 1 + the rank that did not come; 0: none
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DEVICE_FLAGS_H_
