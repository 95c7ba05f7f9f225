// What a thread does that waits for a packet (peer_packet.h), with the limit of peer_flags.h.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_PACKET_WAIT_CUH_
#define LOCKSTEP_LIB_KERNELS_PEER_PACKET_WAIT_CUH_

#include <cstdint>

#include "lib/kernels/peer_flags.h"
#include "lib/kernels/peer_packet.h"

namespace lockstep {

// Returns what has come, or at the limit what there is, and reports the rank.
class PacketWait {
 public:
  __device__ explicit PacketWait(const PeerFlags& flags) : flags_(flags) {}

  __device__ PeerPacket operator()(const PeerPacket* place, uint32_t rank) {
    PeerPacket packet = LoadPacket(place);
    if (HasCome(packet)) {
      return packet;
    }
    const WaitReport& report = flags_.report[rank];
    const volatile uint32_t* const reported = report.expired;
    const uint32_t begin = ClockTurns();
    for (uint32_t tries = 1; !HasCome(packet); ++tries) {
      packet = LoadPacket(place);
      if (tries % kTriesWithoutClock != 0) {
        continue;
      }
      if (reported != nullptr && *reported != 0) {
        break;
      }
      if (ClockTurns() - begin > flags_.max_clock_turns) {
        Report(report);
        break;
      }
    }
    return packet;
  }

 private:
  const PeerFlags& flags_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_PACKET_WAIT_CUH_
