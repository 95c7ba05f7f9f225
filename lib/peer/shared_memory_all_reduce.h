// Sums and broadcasts between the ranks of one host, through memory that they share (shared_memory.h). What lies in a
// SharedBuffer is summed there, without being copied to where the others reach it.
//
// Every rank makes the same calls in the same order, and all get the same bits. A call blocks until its result is there. A
// rank that does not come within the timeout ends the call with Unavailable, which names it; after a failure every call
// fails at once, with the same status.
#ifndef LOCKSTEP_LIB_PEER_SHARED_MEMORY_ALL_REDUCE_H_
#define LOCKSTEP_LIB_PEER_SHARED_MEMORY_ALL_REDUCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/peer/epoch_line.h"
#include "lib/peer/rank_order_sum.h"
#include "lib/peer/shared_memory.h"

namespace lockstep {

// The same on all ranks, but for `rank`.
struct SharedMemoryAllReduceOptions {
  int rank = 0;
  int size = 1;                                // ranks
  absl::Duration timeout = absl::Seconds(60);  // of every wait
  GatherBytes gather;                          // while it is opened

  // What goes through memory at a time, a multiple of 64; a rank takes a little over four times as much. Where ranks share
  // processors, smaller pieces meet more often: 32 MB of four ranks on two took 8 ms with this, up to 41 with a quarter
  // (EPYC, two more busy processes, 2026-11-23); in 1 MiB two ranks were slower.
  size_t chunk_bytes = 512 << 10;
  // From how many bytes on more than two ranks each sum a part and then gather, in place of each summing all. Two meetings
  // cost as much as the sums they save at 16 to 64 KB (the same machine).
  size_t scatter_bytes = 32 << 10;
  // From how many bytes on a sum that is gathered goes past the caches, which do not hold it any more then.
  size_t streaming_bytes = 8 << 20;
  // From how many bytes on what lies in a SharedBuffer is summed there. It takes two meetings more than a copy.
  size_t in_place_bytes = 1 << 20;
  // What is summed there at a time: large, since nothing is copied and each piece is a meeting (16 MiB of four ranks on two
  // processors: 4.3 ms in 2 MiB, 6.2 in 256 KiB, 5.5 in one piece; EPYC, 2026-11-26).
  size_t in_place_chunk_bytes = 2 << 20;
  uint32_t first_epoch = 0;  // for tests: where the counter of meetings begins
};

// Memory of this rank that the others read and no one else writes, zeros at first. It may outlive what made it.
class SharedBuffer {
 public:
  uint8_t* data() const { return of(rank_); }  // aligned to a page
  size_t bytes() const { return bytes_; }

 private:
  friend class SharedMemoryAllReduce;
  SharedBuffer(std::unique_ptr<SharedMemory> memory, int rank, size_t bytes, uint16_t number);
  static size_t Stride(size_t bytes);

  uint8_t* of(int rank) const { return memory_->data() + static_cast<size_t>(rank) * Stride(bytes_); }

  const std::unique_ptr<SharedMemory> memory_;  // of all ranks
  const int rank_;
  const size_t bytes_;
  const uint16_t number_;  // by which calls are compared, from 1; the same on all ranks
};

// Not thread-safe. A large call may move the calling thread to another of its processors.
class SharedMemoryAllReduce {
 public:
  // All ranks call it together. Errors are those of SharedMemory::Open.
  static absl::StatusOr<std::unique_ptr<SharedMemoryAllReduce>> Open(const SharedMemoryAllReduceOptions& options);

  // Whether so much, in a buffer, is summed where it lies.
  bool SumsInPlace(size_t bytes) const { return bytes >= options_.in_place_bytes; }

  // All ranks call it together, as they call a sum. Errors are those of SharedMemory::Open, and leave this as it is.
  absl::StatusOr<std::shared_ptr<SharedBuffer>> MakeBuffer(size_t bytes);

  // Replaces `count` elements at `data`, aligned to them, by their sum over the ranks, added in the order of ranks. The
  // beginning of a buffer is summed where it lies; all ranks give the same buffer then.
  absl::Status AllReduceSum(void* data, size_t count, SumType type);

  // Replaces `bytes` bytes at `data` by those of rank `root`.
  absl::Status Broadcast(void* data, size_t bytes, int root);

 private:
  // Where things lie in the memory: the lines of all ranks, slots by rank, shares by rank.
  struct Layout {
    explicit Layout(const SharedMemoryAllReduceOptions& options);
    size_t slots, share_bytes, shares, bytes;
  };

  SharedMemoryAllReduce(const SharedMemoryAllReduceOptions& options, std::unique_ptr<SharedMemory> memory);

  // A piece of the call's bytes, in its place in memory.
  struct Chunk {
    size_t number, first, bytes;
  };
  // A rank's part of a chunk: where it begins in the chunk, and its bytes, which may be none.
  struct Share {
    size_t first, bytes;
  };

  absl::Status Begin(const char* operation);
  void SpreadOut(size_t bytes);
  void Meet(uint64_t call);
  // `copy` and `take` are called for each chunk: before the ranks meet for it, and after.
  template <typename Copy, typename Take>
  absl::Status RunDirectly(size_t bytes, const Copy& copy, const Take& take);
  absl::Status SumDirectly(uint8_t* data, size_t bytes, SumType type);
  absl::Status SumScattered(uint8_t* data, size_t bytes, SumType type);
  void CopyOthersShares(const uint8_t* data, const Chunk& chunk);
  void AddOwnShare(uint8_t* data, const Chunk& chunk, SumType type);
  void GatherOthersShares(uint8_t* data, const Chunk& chunk, size_t call_bytes);
  void Gather(uint8_t* to, const uint8_t* from, size_t bytes, size_t call_bytes) const;
  // Null: there is none that begins there, or `bytes` are few.
  std::shared_ptr<SharedBuffer> FindBuffer(const void* data, size_t bytes);
  absl::Status SumInPlace(const SharedBuffer& buffer, size_t bytes, SumType type);
  void AddOwnShareInPlace(const SharedBuffer& buffer, const Chunk& chunk, SumType type);
  void GatherInPlace(const SharedBuffer& buffer, const Chunk& chunk, size_t call_bytes);

  void Publish(size_t step);
  absl::Status AwaitAll(size_t step);
  absl::Status FailureOfMissing(int awaited, uint32_t epoch);
  absl::Status CheckCalls();
  std::string Doing() const;

  size_t ChunkCount(size_t bytes) const;
  Chunk ChunkOf(size_t number, size_t bytes) const { return PieceOf(number, options_.chunk_bytes, bytes); }
  static Chunk PieceOf(size_t number, size_t piece_bytes, size_t bytes);
  Share ShareOf(int rank, const Chunk& chunk) const;
  EpochLine& line(int rank) const;
  uint8_t* slot(int rank, const Chunk& chunk) const;
  uint8_t* shares(int rank, const Chunk& chunk) const;

  const SharedMemoryAllReduceOptions options_;
  const int processors_;  // that this rank may run on
  const int spins_;
  const Layout layout_;
  const std::unique_ptr<SharedMemory> memory_;
  std::vector<std::weak_ptr<SharedBuffer>> buffers_;
  uint16_t last_buffer_ = 0;
  std::vector<const void*> sources_;  // of a sum, in rank order
  const char* operation_ = "";        // of the call under way
  uint64_t calls_ = 0;
  uint64_t meetings_ = 0;   // calls in which there is something to send
  uint64_t call_ = 0;       // what the call under way is, for comparison with the others'
  uint32_t epoch_ = 0;      // that of the step 0 of the call under way
  uint32_t published_ = 0;  // the last one
  absl::Status failure_;    // the first
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_SHARED_MEMORY_ALL_REDUCE_H_
