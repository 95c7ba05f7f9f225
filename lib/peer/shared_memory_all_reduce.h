// All-reduce and broadcast between the ranks of one host through shared memory (shared_memory.h). Data in a
// SharedBuffer is summed in place, without a copy into memory that the other ranks can access.
//
// Every rank must make the same calls in the same order, and all ranks get the same bits. A call blocks until its
// result is complete. If a rank does not come within the timeout, the call returns UnavailableError with that rank.
// After a failure, every call fails at once with the same status.
#ifndef LOCKSTEP_LIB_PEER_SHARED_MEMORY_ALL_REDUCE_H_
#define LOCKSTEP_LIB_PEER_SHARED_MEMORY_ALL_REDUCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
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

// Operation on this rank's share of a sum, `count` elements at `share`, before the other ranks get the share.
using FinishShare = std::function<absl::Status(void* share, size_t count, SumType type)>;

// Options; must be the same on all ranks, except `rank`.
struct SharedMemoryAllReduceOptions {
  int rank = 0;
  int size = 1;                                // number of ranks
  absl::Duration timeout = absl::Seconds(60);  // limit of every wait
  GatherBytes gather;                          // exchange of bytes while memory is opened

  // Bytes that are copied to shared memory at a time, a multiple of 64. A rank allocates slightly more than four times
  // as much. Smaller chunks need more barriers, which are slow if ranks share processors: 32 MB of four ranks on two
  // processors took 8 ms with this value and up to 41 ms with a quarter (EPYC, two more busy processes, 2026-11-23).
  // With 1 MiB, two ranks were slower.
  size_t chunk_bytes = 512 << 10;
  // Number of bytes from which more than two ranks each sum a share and then gather, instead of each summing
  // everything. At 16 to 64 KB, two barriers cost as much as the sums that they save (same machine).
  size_t scatter_bytes = 32 << 10;
  // Number of bytes from which gathered sums bypass the caches, which cannot hold them any more.
  size_t streaming_bytes = 8 << 20;
  // Number of bytes from which data in a SharedBuffer is summed in place, which needs two more barriers than a copy.
  size_t in_place_bytes = 1 << 20;
  // Bytes that are summed in place at a time. The value is large, because nothing is copied and each piece needs a
  // barrier (16 MiB of four ranks on two processors: 4.3 ms with 2 MiB, 6.2 ms with 256 KiB, 5.5 ms in one piece; EPYC,
  // 2026-11-26).
  size_t in_place_chunk_bytes = 2 << 20;
  uint32_t first_epoch = 0;  // initial value of the epoch counter, for tests

  // Operation on each share, such as the sum with the same share of other hosts; null: no operation. With it, sums of
  // all sizes are divided into shares. It is called in the order of the shares of a rank, whose sizes depend on the
  // size of the sum, the number of ranks and these options only, and not for empty shares. An error ends the call.
  FinishShare finish_share;
  // Numbers by which errors name the ranks, in the order of ranks; empty: 0, 1, 2, ...
  std::vector<int> names;
};

// Memory of this rank that the other ranks may read but not write, zeros at first. It may outlive the
// SharedMemoryAllReduce that made it.
class SharedBuffer {
 public:
  uint8_t* data() const { return of(rank_); }  // returns the memory, aligned to a page
  size_t bytes() const { return bytes_; }

 private:
  friend class SharedMemoryAllReduce;
  SharedBuffer(std::unique_ptr<SharedMemory> memory, int rank, size_t bytes, uint16_t number);
  static size_t Stride(size_t bytes);

  uint8_t* of(int rank) const { return memory_->data() + static_cast<size_t>(rank) * Stride(bytes_); }

  const std::unique_ptr<SharedMemory> memory_;  // buffers of all ranks
  const int rank_;
  const size_t bytes_;
  const uint16_t number_;  // number by which calls are compared, from 1; the same on all ranks
};

// Not thread-safe. A large call may move the calling thread to another of its processors.
class SharedMemoryAllReduce {
 public:
  // Opens the shared memory. All ranks must call this function together. Errors are those of SharedMemory::Open.
  static absl::StatusOr<std::unique_ptr<SharedMemoryAllReduce>> Open(const SharedMemoryAllReduceOptions& options);

  // Returns true if `bytes` bytes in a SharedBuffer are summed in place.
  bool SumsInPlace(size_t bytes) const { return bytes >= options_.in_place_bytes; }

  // Makes a buffer. All ranks must call this function together, in the same order as their other calls. Errors are
  // those of SharedMemory::Open; after such an error, this object remains usable.
  absl::StatusOr<std::shared_ptr<SharedBuffer>> MakeBuffer(size_t bytes);

  // Replaces `count` elements at `data` by their sum over the ranks, added in the order of ranks and finished by
  // options.finish_share. `data` must be
  // aligned to its elements. If `data` is the start of a SharedBuffer, all ranks must pass the same buffer; large sums
  // are then done in place.
  absl::Status AllReduceSum(void* data, size_t count, SumType type);

  // Replaces `bytes` bytes at `data` by those of rank `root`.
  absl::Status Broadcast(void* data, size_t bytes, int root);

 private:
  // Layout of the memory: the EpochLines of all ranks, slots by rank, shares by rank.
  struct Layout {
    explicit Layout(const SharedMemoryAllReduceOptions& options);
    size_t slots, share_bytes, shares, bytes;
  };

  SharedMemoryAllReduce(const SharedMemoryAllReduceOptions& options, std::unique_ptr<SharedMemory> memory);

  // Part of a call's bytes.
  struct Chunk {
    size_t number, first, bytes;
  };
  // Share of a rank in a chunk: offset in the chunk and number of bytes, which may be 0.
  struct Share {
    size_t first, bytes;
  };

  absl::Status Begin(const char* operation);
  void SpreadOut(size_t bytes);
  void PublishCall(uint64_t call);
  // Calls `copy` for each chunk before the chunk's barrier, and `take` after it.
  template <typename Copy, typename Take>
  absl::Status RunDirectly(size_t bytes, const Copy& copy, const Take& take);
  absl::Status SumDirectly(uint8_t* data, size_t bytes, SumType type);
  absl::Status SumScattered(uint8_t* data, size_t bytes, SumType type);
  void CopyOthersShares(const uint8_t* data, const Chunk& chunk);
  absl::Status AddOwnShare(uint8_t* data, const Chunk& chunk, SumType type);
  absl::Status Finish(uint8_t* share, size_t bytes, SumType type);
  void GatherOthersShares(uint8_t* data, const Chunk& chunk, size_t call_bytes);
  void Gather(uint8_t* to, const uint8_t* from, size_t bytes, size_t call_bytes) const;
  // Returns the buffer that begins at `data`, or null if there is none or `bytes` is too small for a sum in place.
  std::shared_ptr<SharedBuffer> FindBuffer(const void* data, size_t bytes);
  absl::Status SumInPlace(const SharedBuffer& buffer, size_t bytes, SumType type);
  absl::Status AddOwnShareInPlace(const SharedBuffer& buffer, const Chunk& chunk, SumType type);
  void GatherInPlace(const SharedBuffer& buffer, const Chunk& chunk, size_t call_bytes);

  void Publish(size_t step);
  absl::Status AwaitAll(size_t step);
  absl::Status FailureOfMissing(int awaited, uint32_t epoch);
  absl::Status CheckCalls();
  std::string Doing() const;
  std::string NamesOf(const std::vector<int>& ranks) const;

  size_t ChunkCount(size_t bytes) const;
  Chunk ChunkOf(size_t number, size_t bytes) const { return PieceOf(number, options_.chunk_bytes, bytes); }
  static Chunk PieceOf(size_t number, size_t piece_bytes, size_t bytes);
  Share ShareOf(int rank, const Chunk& chunk) const;
  EpochLine& line(int rank) const;
  uint8_t* slot(int rank, const Chunk& chunk) const;
  uint8_t* shares(int rank, const Chunk& chunk) const;

  const SharedMemoryAllReduceOptions options_;
  const int processors_;  // number of processors on which this rank may run
  const int spins_;
  const Layout layout_;
  const std::unique_ptr<SharedMemory> memory_;
  std::vector<std::weak_ptr<SharedBuffer>> buffers_;
  uint16_t last_buffer_ = 0;
  std::vector<const void*> sources_;  // sources of a sum, in rank order
  const char* operation_ = "";        // name of the current call
  uint64_t calls_ = 0;
  uint64_t data_calls_ = 0;  // number of calls with data
  uint64_t call_ = 0;        // description of the current call, compared with those of the other ranks
  uint32_t epoch_ = 0;       // epoch of step 0 of the current call
  uint32_t published_ = 0;   // last published epoch
  absl::Status failure_;     // first failure
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_SHARED_MEMORY_ALL_REDUCE_H_
