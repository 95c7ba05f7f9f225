// How far each rank has come, told to the others through shared memory: a counter of its own for each, on which they sleep
// (futex(2)) when they have looked at it in vain.
#ifndef LOCKSTEP_LIB_PEER_EPOCH_LINE_H_
#define LOCKSTEP_LIB_PEER_EPOCH_LINE_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace lockstep {

// One rank's counter. It alone writes `epoch`; all zeros is a valid line. Two lines of the cache, because processors
// fetch them in pairs.
struct alignas(128) EpochLine {
  std::atomic<uint32_t> epoch;
  std::atomic<uint32_t> sleepers;  // other ranks that sleep, or are about to
  std::atomic<int32_t> processor;  // on which the rank was when it last published
  std::atomic<uint64_t> calls[2];  // what this rank's last two calls are (shared_memory_all_reduce.cc)
};
static_assert(std::atomic<uint32_t>::is_always_lock_free && std::atomic<uint64_t>::is_always_lock_free,
              "a lock would be in one process alone");
static_assert(sizeof(std::atomic<uint32_t>) == 4, "a futex has 32 bits");

// Whether `epoch` is `wanted` or later, also across the wrap at 2^32: the two are never 2^31 apart.
inline bool HasCome(uint32_t epoch, uint32_t wanted) { return static_cast<int32_t>(epoch - wanted) >= 0; }

// Sets the epoch of this rank: what it has written before is there for who sees the epoch. Wakes who sleeps.
void PublishEpoch(EpochLine& line, uint32_t epoch);

// Waits until `line` has come to `wanted`, or `deadline`: looks `spins` times, then sleeps; at once where the line's
// rank runs on the same processor. False at the deadline. What that rank wrote before is there when this returns true.
bool AwaitEpoch(EpochLine& line, uint32_t wanted, int spins, std::chrono::steady_clock::time_point deadline);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_EPOCH_LINE_H_
