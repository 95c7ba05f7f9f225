// Flags in memory shared by the GPUs of a host. A rank raises its own flag in the memory of every other rank, and waits
// for the other ranks' flags in its own memory.
//
// A flag holds an epoch, which is the number of the step. Flags only increase; a wait ends when the flag has reached
// the wanted epoch, modulo 2^32. The epoch is read on the device, so that a replayed graph continues to count. Loads
// and stores are relaxed, except for one release and one acquire at system scope (PTX ISA, "Memory Consistency Model"):
// work after the wait sees everything that was written before the flag was raised, including copies queued before it.
#ifndef LOCKSTEP_LIB_PEER_PEER_FLAGS_H_
#define LOCKSTEP_LIB_PEER_PEER_FLAGS_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/collectives/max_peer_ranks.h"
#include "lib/cuda/wait_report.h"
#include "lib/peer/peer_epoch.h"

namespace lockstep {

inline constexpr uint32_t kPeerFlagRows = 64;

// Bytes of each rank's flags: uint32 (kPeerFlagRows, kMaxPeerRanks), one row per event and one column per signalling
// rank. All flags must be 0 at the start.
inline constexpr size_t kPeerFlagBytes = sizeof(uint32_t) * kPeerFlagRows * kMaxPeerRanks;

struct PeerFlags {
  uint32_t rank = 0;
  uint32_t ranks = 0;                     // up to kMaxPeerRanks
  uint32_t* flags[kMaxPeerRanks] = {};    // flags of each rank, as mapped here
  uint32_t* epoch = nullptr;              // device memory of this rank only; must be 1 at the start
  uint32_t* given_up = nullptr;           // device memory of this rank only; 0 until a wait has reached its limit
  uint32_t max_clock_turns = 2;           // limit of a wait, in units of 4.3 s; see wait_report.h
  WaitReport report[kMaxPeerRanks] = {};  // report of a wait for each rank
};

// Returns whether the row exists, and whether the rank and the number of ranks are valid.
bool HasPeerRow(const PeerFlags& flags, uint32_t row);

// Raises this rank's flag of `row` to the epoch at every other rank, once everything queued earlier on `stream` is
// done. Then increments the epoch if `epoch` is kNext. Can be captured. Returns the launch's error, or
// cudaErrorInvalidValue if the row or the rank does not exist.
cudaError_t RaisePeerFlags(const PeerFlags& flags, uint32_t row, PeerEpoch epoch, cudaStream_t stream);

// Delays everything queued later on `stream` until every other rank has raised its flag of `row` to the epoch minus
// `behind`. A wait that exceeds max_clock_turns reports the rank it waited for and ends; afterwards every other wait
// ends too. Occupies the resources of one warp while it waits. Can be captured. Returns the same errors as
// RaisePeerFlags.
cudaError_t AwaitPeerFlags(const PeerFlags& flags, uint32_t row, uint32_t behind, cudaStream_t stream);

// Does both in one launch, with the same epoch: everything queued later runs when every other rank has reached this
// call, too. Then increments the epoch if `epoch` is kNext.
cudaError_t PeerBarrier(const PeerFlags& flags, uint32_t row, PeerEpoch epoch, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PEER_FLAGS_H_
