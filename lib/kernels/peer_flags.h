// Flags in memory that the GPUs of a host share: a rank raises its own in the memory of every other rank, and waits for
// theirs in its own.
//
// A flag holds an epoch, which is the number of the step. It is only ever raised, and a wait is over when it is as high as
// wanted, counted round at 2^32. The epoch is read on the device, so that a replayed graph goes on counting. Loads and
// stores are relaxed but for one release and one acquire of the whole system (PTX ISA, "Memory Consistency Model"): what
// was written before a flag is raised, also by copies queued before, is seen by what follows the wait.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_FLAGS_H_
#define LOCKSTEP_LIB_KERNELS_PEER_FLAGS_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "lib/kernels/wait_report.h"

namespace lockstep {

inline constexpr uint32_t kMaxPeerRanks = 16;
inline constexpr uint32_t kPeerFlagRows = 64;

// Each rank's flags: uint32 (kPeerFlagRows, kMaxPeerRanks), a row for what is told and a column for who tells. All 0 at
// the start.
inline constexpr size_t kPeerFlagBytes = sizeof(uint32_t) * kPeerFlagRows * kMaxPeerRanks;

struct PeerFlags {
  uint32_t rank = 0;
  uint32_t ranks = 0;                     // up to kMaxPeerRanks
  uint32_t* flags[kMaxPeerRanks] = {};    // of each rank, as mapped here
  uint32_t* epoch = nullptr;              // device memory of this rank alone; 1 at the start
  uint32_t* given_up = nullptr;           // likewise; 0 at the start, and as long as no wait has reached its limit
  uint32_t max_clock_turns = 2;           // of a wait, 4.3 s each; see wait_report.h
  WaitReport report[kMaxPeerRanks] = {};  // of a wait for that rank
};

// Whether there is such a row, and the rank is one of a number that fits.
bool HasPeerRow(const PeerFlags& flags, uint32_t row);

// Raises this rank's flag of `row` at every other rank to the epoch, once all that is queued on `stream` before is done.
// With `next_epoch` the epoch is one more afterwards. Can be captured. Returns the launch's error, or
// cudaErrorInvalidValue when there is no such row or rank.
cudaError_t RaisePeerFlags(const PeerFlags& flags, uint32_t row, bool next_epoch, cudaStream_t stream);

// What is queued on `stream` from here on runs when every other rank has raised its flag of `row` to the epoch less
// `behind`. A wait that takes longer than max_clock_turns reports which rank it is for, and is over; so is every wait
// once one has been reported. Takes a place of one warp while it waits. Can be captured. Errors as above.
cudaError_t AwaitPeerFlags(const PeerFlags& flags, uint32_t row, uint32_t behind, cudaStream_t stream);

// Both by one launch, of the same epoch: what is queued from here on runs when every other rank has come here, too. With
// `next_epoch` the epoch is one more afterwards.
cudaError_t MeetPeers(const PeerFlags& flags, uint32_t row, bool next_epoch, cudaStream_t stream);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_FLAGS_H_
