// Memory that the ranks of an exchange through peer memory (peer_exchange.cc) write into: packet buffers, receive
// buffers and, with a shared update, the network's weights. Keeps the offset of the step's next range in the receive
// buffers.
#ifndef LOCKSTEP_LIB_REDUCER_PEER_BUFFERS_H_
#define LOCKSTEP_LIB_REDUCER_PEER_BUFFERS_H_

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "lib/fused/addend_exchange.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/peer/device_memory.h"
#include "lib/peer/peer_update.h"
#include "lib/reducer/communicator_exchange.h"
#include "lib/reducer/peer_exchange.h"

namespace lockstep {

// Returns the number of bytes of a range.
inline size_t RangeBytes(const RangeToSum& range) { return range.count * BytesPerElement(range.type); }

class PeerBuffers {
 public:
  // Number of packets of each packet buffer: those of batch norm and, in fp32, of the weights outside layers 3 and 4,
  // 5.4 MB of ResNet-34.
  static constexpr size_t kPacketsEach = (size_t{6} << 20) / sizeof(PeerPacket);

  PeerBuffers(int rank, int size) : rank_(rank), size_(size) {}

  // Allocates the memory of all ranks. Must be called once, before all other functions. All ranks must call it together
  // with the same options. Errors are those of PeerDeviceMemory::Make.
  absl::Status Allocate(const PeerRanks& ranks, const PeerExchangeOptions& options);

  // Empties this rank's packet buffers.
  absl::Status ClearPackets();

  int rank() const { return rank_; }
  int size() const { return size_; }
  const PeerDeviceMemory& memory() const { return *memory_; }

  // Returns this rank's counter of PeerUpdate.
  uint32_t* PushDone() const;
  // Returns each rank's packets from index `first` on.
  PacketBuffers PacketsFrom(size_t first) const;
  // Returns the weights of `rank`. The exchange must have a shared update.
  __nv_bfloat16* WeightsOf(int rank) const;

  // Returns the place of the next range in the receive buffer of `rank` for data of the rank `of`.
  uint8_t* SlotAt(int rank, int of) const;
  // Returns the addresses at which the next range's parts are once all of them have arrived.
  RangeSum PartsOf(const RangeToSum& range) const;
  // Returns these addresses, and this rank's share of the range.
  RangeSum ShareOfParts(const RangeToSum& range) const;

  // Returns InternalError if the receive buffers are too small for the next range.
  absl::Status CheckCapacity(const RangeToSum& range) const;
  // Moves the offset past the range.
  void Advance(const RangeToSum& range);
  size_t offset() const { return offset_; }
  void set_offset(size_t offset) { offset_ = offset; }

 private:
  size_t SlotsOffset() const;
  size_t WeightsOffset() const;

  const int rank_, size_;
  std::unique_ptr<PeerDeviceMemory> memory_;
  size_t offset_ = 0;  // offset of the next range in each receive buffer
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_PEER_BUFFERS_H_
