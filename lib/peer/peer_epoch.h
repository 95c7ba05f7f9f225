// PeerEpoch: what a message between ranks does to the sender's epoch, the number of its step.
#ifndef LOCKSTEP_LIB_PEER_PEER_EPOCH_H_
#define LOCKSTEP_LIB_PEER_PEER_EPOCH_H_

namespace lockstep {

enum class PeerEpoch {
  kSame,  // the epoch stays
  kNext,  // the epoch is incremented after the message
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PEER_EPOCH_H_
