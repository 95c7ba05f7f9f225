// Progress of each rank, published to the others in shared memory: each rank has its own counter, on which the others
// spin and then sleep (futex(2)).
#ifndef LOCKSTEP_LIB_PEER_EPOCH_LINE_H_
#define LOCKSTEP_LIB_PEER_EPOCH_LINE_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace lockstep {

// Counter of one rank. Only that rank writes `epoch`. All zeros is a valid initial state. The struct fills two cache
// lines, because processors prefetch lines in pairs.
struct alignas(128) EpochLine {
  std::atomic<uint32_t> epoch;
  std::atomic<uint32_t> sleepers;  // number of other ranks that sleep, or are about to
  std::atomic<int32_t> processor;  // processor of the rank when it last published
  std::atomic<uint64_t> calls[2];  // descriptions of the rank's last two calls (shared_memory_all_reduce.cc)
};
static_assert(std::atomic<uint32_t>::is_always_lock_free && std::atomic<uint64_t>::is_always_lock_free,
              "a lock would be in one process alone");
static_assert(sizeof(std::atomic<uint32_t>) == 4, "a futex has 32 bits");

// Returns true if `epoch` is `wanted` or later, also across the wrap at 2^32. The two must be less than 2^31 apart.
inline bool HasCome(uint32_t epoch, uint32_t wanted) { return static_cast<int32_t>(epoch - wanted) >= 0; }

// Sets the epoch of this rank and wakes sleeping ranks. A rank that sees the epoch also sees all earlier writes of this
// rank.
void PublishEpoch(EpochLine& line, uint32_t epoch);

// Waits until `line` has reached `wanted`. Spins `spins` times and then sleeps, or sleeps at once if the line's rank
// runs on the same processor. Returns false at `deadline`. After true, all earlier writes of the line's rank are
// visible.
bool AwaitEpoch(EpochLine& line, uint32_t wanted, int spins, std::chrono::steady_clock::time_point deadline);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_EPOCH_LINE_H_
