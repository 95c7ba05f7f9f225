// Wait of a thread for a packet (peer_packet.h), with the limit of peer_flags.h.
#ifndef LOCKSTEP_LIB_PEER_PEER_PACKET_WAIT_CUH_
#define LOCKSTEP_LIB_PEER_PEER_PACKET_WAIT_CUH_

#include <cstdint>

#include "lib/peer/peer_flags.cuh"
#include "lib/peer/peer_packet.h"

namespace lockstep {

// Returns the packet once it has arrived. At the limit, returns the slot's current contents and reports the rank.
class PacketWait {
 public:
  __device__ explicit PacketWait(const PeerFlags& flags) : flags_(flags) {}

  __device__ PeerPacket operator()(const PeerPacket* slot, uint32_t rank) {
    PeerPacket packet = LoadPacket(slot);
    if (!HasCome(packet)) {
      AwaitRank(flags_, rank, [&] {
        packet = LoadPacket(slot);
        return HasCome(packet);
      });
    }
    return packet;
  }

 private:
  const PeerFlags& flags_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PEER_PACKET_WAIT_CUH_
