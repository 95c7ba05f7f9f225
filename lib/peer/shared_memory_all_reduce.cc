// Epochs, and why no rank overwrites data that another rank still reads. A call has the same number of steps on all
// ranks. Each rank counts the steps of all calls in its EpochLine.
//
// Direct sum: a rank copies chunk c into its slot (first + c) % 4 and publishes step c. It copies chunk c + 1 before it
// waits for the others' chunk c. Before it copies for epoch e, it has therefore seen all others at e - 2, and a rank at
// e - 2 has finished reading e - 4, which used the same slot. At the end of a call, all others have been seen at its
// last epoch E. They may still read E - 1 and E, while the next call writes E + 1 and E + 2 before it sees the others
// there. These are four different slots.
//
// Scattered sum: a pipeline. In step t, a rank adds its share of chunk t - 1 from all slots, gathers the shares of
// chunk t - 2, publishes t, copies chunk t + 1, and waits for t. The chunk that is overwritten was read in step t - 2,
// and all ranks have been seen at t - 1. Shares are in two separate buffers, by parity. The sum in step t replaces the
// shares of chunk t - 3, which were gathered in step t - 1, and all ranks have been seen there. The first shares of a
// call are added after all others have been seen in this call, so nothing of the previous call is still read.
//
// Sum in place: no slots. In step t, a rank reads its share of chunk t from the buffers of all ranks, writes the sum to
// its own buffer, publishes t + 1, gathers the shares of chunk t - 1 from their owners' buffers, and waits for the
// others at t + 1. No rank overwrites bytes that others still read: a rank's own share is read by no other rank before
// it is summed, and a share that is gathered in step t was read by its owner in step t - 1, after which all ranks have
// been seen at t. A last barrier ends the call, because the others gather from this buffer until then.
//
// A share is finished (options.finish_share) after it is added and before the step that shows it is published, so the
// others gather the finished share. A rank that finishes shares in another process only delays its own steps.
//
// Lengths and offsets are computed from this rank's own arguments, never from the shared memory. A rank that writes
// nonsense can corrupt the sums, and nothing else.
#include "lib/peer/shared_memory_all_reduce.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/processors.h"
#include "lib/base/status_macros.h"
#include "lib/peer/streaming_copy.h"

namespace lockstep {
namespace {

constexpr size_t kSlots = 4;         // slots per rank; see above
constexpr size_t kShareBuffers = 2;  // share buffers per rank; see above
constexpr size_t kLineBytes = 64;    // cache line
constexpr size_t kPageBytes = 4096;
constexpr uint64_t kBroadcast = 128;  // value in a call's description, distinct from the types of sums
// Iterations for which a rank spins before it sleeps: about 50 us, five times the time of a wake-up.
constexpr int kSpins = 2000;
// Number of bytes from which moving a thread costs less than sharing a processor for one call.
constexpr size_t kSpreadBytes = 256 << 10;

size_t Pieces(size_t n, size_t unit) { return (n + unit - 1) / unit; }

size_t RoundUp(size_t n, size_t unit) { return Pieces(n, unit) * unit; }

// Returns the bytes of each rank's share of a chunk; the last shares may be smaller. Shares are whole cache lines, so
// that no two ranks write to the same line.
size_t ShareBytes(size_t chunk_bytes, size_t ranks) { return RoundUp((chunk_bytes + ranks - 1) / ranks, kLineBytes); }

// Returns 0 if there are fewer processors than ranks: a spinning rank would then keep the rank that it waits for from
// running.
int SpinsFor(int ranks, int processors) { return processors >= ranks ? kSpins : 0; }

// Returns the deadline of a wait. An infinite timeout becomes one year, which the clock can represent.
std::chrono::steady_clock::time_point DeadlineAfter(absl::Duration timeout) {
  return std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(std::min(timeout, absl::Hours(24 * 365)));
}

}  // namespace

SharedMemoryAllReduce::Layout::Layout(const SharedMemoryAllReduceOptions& options)
    : slots(RoundUp(options.size * sizeof(EpochLine), kPageBytes)),
      share_bytes(ShareBytes(options.chunk_bytes, options.size)),
      shares(slots + options.size * kSlots * options.chunk_bytes),
      bytes(shares + options.size * kShareBuffers * share_bytes) {}

absl::StatusOr<std::unique_ptr<SharedMemoryAllReduce>> SharedMemoryAllReduce::Open(
    const SharedMemoryAllReduceOptions& options) {
  SharedMemoryOptions memory_options;
  memory_options.rank = options.rank;
  memory_options.size = options.size;
  memory_options.bytes = Layout(options).bytes;
  memory_options.timeout = options.timeout;
  memory_options.gather = options.gather;
  memory_options.prepare = [&](uint8_t* memory) {
    reinterpret_cast<EpochLine*>(memory)[options.rank].epoch.store(options.first_epoch);
  };
  ASSIGN_OR_RETURN(std::unique_ptr<SharedMemory> memory, SharedMemory::Open(memory_options));
  return std::unique_ptr<SharedMemoryAllReduce>(new SharedMemoryAllReduce(options, std::move(memory)));
}

SharedMemoryAllReduce::SharedMemoryAllReduce(const SharedMemoryAllReduceOptions& options,
                                             std::unique_ptr<SharedMemory> memory)
    : options_(options), processors_(OwnProcessors()), spins_(SpinsFor(options.size, processors_)), layout_(options),
      memory_(std::move(memory)), sources_(options.size), published_(options.first_epoch) {}

SharedBuffer::SharedBuffer(std::unique_ptr<SharedMemory> memory, int rank, size_t bytes, uint16_t number)
    : memory_(std::move(memory)), rank_(rank), bytes_(bytes), number_(number) {}

size_t SharedBuffer::Stride(size_t bytes) { return RoundUp(bytes, kPageBytes); }

absl::StatusOr<std::shared_ptr<SharedBuffer>> SharedMemoryAllReduce::MakeBuffer(size_t bytes) {
  RETURN_IF_ERROR(failure_);
  SharedMemoryOptions options;
  options.rank = options_.rank;
  options.size = options_.size;
  options.bytes = static_cast<size_t>(options_.size) * SharedBuffer::Stride(std::max<size_t>(bytes, 1));
  options.timeout = options_.timeout;
  options.gather = options_.gather;
  ASSIGN_OR_RETURN(std::unique_ptr<SharedMemory> memory, SharedMemory::Open(options));
  last_buffer_ = static_cast<uint16_t>(last_buffer_ % 0xFFFF + 1);
  std::shared_ptr<SharedBuffer> buffer(new SharedBuffer(std::move(memory), options_.rank, bytes, last_buffer_));
  buffers_.push_back(buffer);
  return buffer;
}

absl::Status SharedMemoryAllReduce::AllReduceSum(void* data, size_t count, SumType type) {
  const size_t bytes = count * BytesOf(type);
  RETURN_IF_ERROR(Begin("all-reduce"));
  if (options_.size == 1 || count == 0) {
    return Finish(static_cast<uint8_t*>(data), bytes, type);
  }
  SpreadOut(bytes);
  const std::shared_ptr<SharedBuffer> buffer = FindBuffer(data, bytes);
  const uint64_t place = buffer == nullptr ? 0 : buffer->number_;
  PublishCall(place << 48 | bytes << 8 | static_cast<uint64_t>(type));
  if (buffer != nullptr) {
    return SumInPlace(*buffer, bytes, type);
  }
  const bool scattered = options_.finish_share != nullptr || (options_.size > 2 && bytes >= options_.scatter_bytes);
  return scattered ? SumScattered(static_cast<uint8_t*>(data), bytes, type)
                   : SumDirectly(static_cast<uint8_t*>(data), bytes, type);
}

absl::Status SharedMemoryAllReduce::Broadcast(void* data, size_t bytes, int root) {
  if (root < 0 || root >= options_.size) {
    return absl::InvalidArgumentError(absl::StrCat("expected a root below ", options_.size, ", found ", root));
  }
  RETURN_IF_ERROR(Begin("broadcast"));
  if (options_.size == 1 || bytes == 0) {
    return absl::OkStatus();
  }
  SpreadOut(bytes);
  PublishCall(bytes << 8 | kBroadcast | static_cast<uint64_t>(root) << 48);
  auto* typed = static_cast<uint8_t*>(data);
  const auto copy = [&](const Chunk& chunk) {
    if (options_.rank == root) {
      std::memcpy(slot(root, chunk), typed + chunk.first, chunk.bytes);
    }
  };
  const auto take = [&](const Chunk& chunk) {
    if (options_.rank != root) {
      std::memcpy(typed + chunk.first, slot(root, chunk), chunk.bytes);
    }
  };
  return RunDirectly(bytes, copy, take);
}

absl::Status SharedMemoryAllReduce::Begin(const char* operation) {
  RETURN_IF_ERROR(failure_);
  operation_ = operation;
  ++calls_;
  return absl::OkStatus();
}

// Publishes the description of the current call in one of two alternating entries. Two are enough, because a rank that
// has been seen in one call with data may be in the next, but not in the one after that. Calls without data are not
// counted, because a rank may be many of them ahead.
void SharedMemoryAllReduce::PublishCall(uint64_t call) {
  ++data_calls_;
  call_ = call;
  epoch_ = published_ + 1;
  line(options_.rank).calls[data_calls_ % 2].store(call, std::memory_order_relaxed);
}

// Moves this rank to another processor if its processor has more than its share of ranks; the last ranks move. The
// kernel gathers ranks on one processor, because they wake each other, and does not move threads that sleep so often.
// Two ranks on one processor took 4.7 ms for 32 MB, and 2.7 ms after the move (two processors, other processes on both;
// EPYC, 2026-11-23).
void SharedMemoryAllReduce::SpreadOut(size_t bytes) {
  if (bytes < kSpreadBytes) {
    return;
  }
  const int here = sched_getcpu();
  int before = 0;
  for (int rank = 0; rank < options_.rank; ++rank) {
    before += line(rank).processor.load(std::memory_order_relaxed) == here ? 1 : 0;
  }
  if (before >= (options_.size + processors_ - 1) / processors_) {
    LeaveProcessor(here);
  }
}

template <typename Copy, typename Take>
absl::Status SharedMemoryAllReduce::RunDirectly(size_t bytes, const Copy& copy, const Take& take) {
  const size_t chunks = ChunkCount(bytes);
  copy(ChunkOf(0, bytes));
  Publish(0);
  for (size_t number = 0; number < chunks; ++number) {
    if (number + 1 < chunks) {
      copy(ChunkOf(number + 1, bytes));
      Publish(number + 1);
    }
    RETURN_IF_ERROR(AwaitAll(number));
    take(ChunkOf(number, bytes));
  }
  return absl::OkStatus();
}

absl::Status SharedMemoryAllReduce::SumDirectly(uint8_t* data, size_t bytes, SumType type) {
  const auto copy = [&](const Chunk& chunk) {
    std::memcpy(slot(options_.rank, chunk), data + chunk.first, chunk.bytes);
  };
  const auto take = [&](const Chunk& chunk) {
    for (int rank = 0; rank < options_.size; ++rank) {
      sources_[rank] = rank == options_.rank ? data + chunk.first : slot(rank, chunk);
    }
    SumInRankOrder(type, sources_, chunk.bytes / BytesOf(type), data + chunk.first);
  };
  return RunDirectly(bytes, copy, take);
}

absl::Status SharedMemoryAllReduce::SumScattered(uint8_t* data, size_t bytes, SumType type) {
  const size_t chunks = ChunkCount(bytes);
  CopyOthersShares(data, ChunkOf(0, bytes));
  for (size_t step = 0; step <= chunks; ++step) {
    if (step >= 1) {
      RETURN_IF_ERROR(AddOwnShare(data, ChunkOf(step - 1, bytes), type));
    }
    if (step >= 2) {
      GatherOthersShares(data, ChunkOf(step - 2, bytes), bytes);
    }
    Publish(step);
    if (step + 1 < chunks) {
      CopyOthersShares(data, ChunkOf(step + 1, bytes));
    }
    RETURN_IF_ERROR(AwaitAll(step));
  }
  GatherOthersShares(data, ChunkOf(chunks - 1, bytes), bytes);
  return absl::OkStatus();
}

// Copies the chunk without this rank's own share, which no other rank reads.
void SharedMemoryAllReduce::CopyOthersShares(const uint8_t* data, const Chunk& chunk) {
  const Share own = ShareOf(options_.rank, chunk);
  uint8_t* to = slot(options_.rank, chunk);
  const uint8_t* from = data + chunk.first;
  const size_t after = own.first + own.bytes;
  std::memcpy(to, from, own.first);
  std::memcpy(to + after, from + after, chunk.bytes - after);
}

// Adds this rank's share in place, and copies the sum to shared memory for the others.
absl::Status SharedMemoryAllReduce::AddOwnShare(uint8_t* data, const Chunk& chunk, SumType type) {
  const Share own = ShareOf(options_.rank, chunk);
  uint8_t* const sum = data + chunk.first + own.first;
  for (int rank = 0; rank < options_.size; ++rank) {
    sources_[rank] = rank == options_.rank ? sum : slot(rank, chunk) + own.first;
  }
  SumInRankOrder(type, sources_, own.bytes / BytesOf(type), sum);
  RETURN_IF_ERROR(Finish(sum, own.bytes, type));
  std::memcpy(shares(options_.rank, chunk), sum, own.bytes);
  return absl::OkStatus();
}

absl::Status SharedMemoryAllReduce::Finish(uint8_t* share, size_t bytes, SumType type) {
  if (options_.finish_share != nullptr && bytes != 0) {
    failure_ = options_.finish_share(share, bytes / BytesOf(type), type);
  }
  return failure_;
}

void SharedMemoryAllReduce::GatherOthersShares(uint8_t* data, const Chunk& chunk, size_t call_bytes) {
  for (int rank = 0; rank < options_.size; ++rank) {
    if (rank == options_.rank) {
      continue;
    }
    const Share share = ShareOf(rank, chunk);
    Gather(data + chunk.first + share.first, shares(rank, chunk), share.bytes, call_bytes);
  }
}

void SharedMemoryAllReduce::Gather(uint8_t* to, const uint8_t* from, size_t bytes, size_t call_bytes) const {
  if (call_bytes >= options_.streaming_bytes) {
    StreamingCopy(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

std::shared_ptr<SharedBuffer> SharedMemoryAllReduce::FindBuffer(const void* data, size_t bytes) {
  if (!SumsInPlace(bytes)) {
    return nullptr;
  }
  buffers_.erase(std::remove_if(buffers_.begin(), buffers_.end(), [](const auto& buffer) { return buffer.expired(); }),
                 buffers_.end());
  for (const std::weak_ptr<SharedBuffer>& made : buffers_) {
    const std::shared_ptr<SharedBuffer> buffer = made.lock();
    if (buffer != nullptr && buffer->data() == data && bytes <= buffer->bytes()) {
      return buffer;
    }
  }
  return nullptr;
}

absl::Status SharedMemoryAllReduce::SumInPlace(const SharedBuffer& buffer, size_t bytes, SumType type) {
  const size_t piece = options_.in_place_chunk_bytes, chunks = Pieces(bytes, piece);
  Publish(0);
  RETURN_IF_ERROR(AwaitAll(0));
  for (size_t step = 0; step < chunks; ++step) {
    RETURN_IF_ERROR(AddOwnShareInPlace(buffer, PieceOf(step, piece, bytes), type));
    Publish(step + 1);
    if (step >= 1) {
      GatherInPlace(buffer, PieceOf(step - 1, piece, bytes), bytes);
    }
    RETURN_IF_ERROR(AwaitAll(step + 1));
  }
  GatherInPlace(buffer, PieceOf(chunks - 1, piece, bytes), bytes);
  Publish(chunks + 1);
  return AwaitAll(chunks + 1);
}

absl::Status SharedMemoryAllReduce::AddOwnShareInPlace(const SharedBuffer& buffer, const Chunk& chunk, SumType type) {
  const Share own = ShareOf(options_.rank, chunk);
  const size_t first = chunk.first + own.first;
  for (int rank = 0; rank < options_.size; ++rank) {
    sources_[rank] = buffer.of(rank) + first;
  }
  SumInRankOrder(type, sources_, own.bytes / BytesOf(type), buffer.data() + first);
  return Finish(buffer.data() + first, own.bytes, type);
}

// Each rank begins with the next rank's share, so that not all ranks read from one buffer at the same time.
void SharedMemoryAllReduce::GatherInPlace(const SharedBuffer& buffer, const Chunk& chunk, size_t call_bytes) {
  for (int i = 1; i < options_.size; ++i) {
    const int rank = (options_.rank + i) % options_.size;
    const Share share = ShareOf(rank, chunk);
    const size_t first = chunk.first + share.first;
    Gather(buffer.data() + first, buffer.of(rank) + first, share.bytes, call_bytes);
  }
}

void SharedMemoryAllReduce::Publish(size_t step) {
  published_ = epoch_ + static_cast<uint32_t>(step);
  PublishEpoch(line(options_.rank), published_);
}

absl::Status SharedMemoryAllReduce::AwaitAll(size_t step) {
  const uint32_t epoch = epoch_ + static_cast<uint32_t>(step);
  const auto deadline = DeadlineAfter(options_.timeout);
  for (int i = 1; i < options_.size; ++i) {
    const int rank = (options_.rank + i) % options_.size;  // each rank begins with a different one
    if (!AwaitEpoch(line(rank), epoch, spins_, deadline)) {
      return FailureOfMissing(rank, epoch);
    }
  }
  return step == 0 ? CheckCalls() : absl::OkStatus();
}

absl::Status SharedMemoryAllReduce::FailureOfMissing(int awaited, uint32_t epoch) {
  std::vector<int> missing;
  for (int rank = 0; rank < options_.size; ++rank) {
    const bool come = rank == options_.rank || HasCome(line(rank).epoch.load(std::memory_order_acquire), epoch);
    if (rank == awaited || !come) {
      missing.push_back(rank);
    }
  }
  failure_ = absl::UnavailableError(
      absl::StrCat(Doing(), NamesOf(missing), " did not arrive within ", absl::FormatDuration(options_.timeout)));
  return failure_;
}

// Checks that all ranks make the same call. Data written by another rank is used for this error only.
absl::Status SharedMemoryAllReduce::CheckCalls() {
  std::vector<int> different;
  for (int rank = 0; rank < options_.size; ++rank) {
    if (line(rank).calls[data_calls_ % 2].load(std::memory_order_relaxed) != call_) {
      different.push_back(rank);
    }
  }
  if (!different.empty()) {
    failure_ = absl::InvalidArgumentError(absl::StrCat(
        Doing(), NamesOf(different), " called with another operation, type, root, buffer or number of bytes"));
  }
  return failure_;
}

std::string SharedMemoryAllReduce::Doing() const {
  return absl::StrCat("shared-memory ", operation_, " number ", calls_, ": ");
}

std::string SharedMemoryAllReduce::NamesOf(const std::vector<int>& ranks) const {
  return absl::StrCat(ranks.size() == 1 ? "rank " : "ranks ",
                      absl::StrJoin(ranks, ", ", [this](std::string* text, int rank) {
                        absl::StrAppend(text, options_.names.empty() ? rank : options_.names[rank]);
                      }));
}

size_t SharedMemoryAllReduce::ChunkCount(size_t bytes) const { return Pieces(bytes, options_.chunk_bytes); }

SharedMemoryAllReduce::Chunk SharedMemoryAllReduce::PieceOf(size_t number, size_t piece_bytes, size_t bytes) {
  const size_t first = number * piece_bytes;
  return {number, first, std::min(piece_bytes, bytes - first)};
}

SharedMemoryAllReduce::Share SharedMemoryAllReduce::ShareOf(int rank, const Chunk& chunk) const {
  const size_t each = ShareBytes(chunk.bytes, options_.size);
  const size_t first = std::min(rank * each, chunk.bytes);
  return {first, std::min(each, chunk.bytes - first)};
}

EpochLine& SharedMemoryAllReduce::line(int rank) const { return reinterpret_cast<EpochLine*>(memory_->data())[rank]; }

uint8_t* SharedMemoryAllReduce::slot(int rank, const Chunk& chunk) const {
  const size_t number = rank * kSlots + (epoch_ + chunk.number) % kSlots;
  return memory_->data() + layout_.slots + number * options_.chunk_bytes;
}

uint8_t* SharedMemoryAllReduce::shares(int rank, const Chunk& chunk) const {
  const size_t number = rank * kShareBuffers + (epoch_ + chunk.number) % kShareBuffers;
  return memory_->data() + layout_.shares + number * layout_.share_bytes;
}

}  // namespace lockstep
