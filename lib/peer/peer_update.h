// The end of a multi-GPU step in one launch: writes the gradients into every other rank's memory, adds the others'
// gradients as they arrive, and runs SGD. At this point multiprocessors are free, and every further launch or
// copy-engine transfer would add a wait. Gradients travel as packets that are their own flag (peer_packet.h): a thread
// updates the elements it has received and waits for nothing else.
//
// An additional flag tells the other ranks that everything queued before, such as weights in their memory, has been
// written.
//
// Safety: a slot must be empty before a packet is sent to it: the caller must wait until its last packet was taken.
// Progress: a thread sends all its packets before it waits, and waits only for the other ranks' thread of the same
// index. Hence all blocks must be resident at once: there are at most two per multiprocessor, also if a process is
// given a part of a GPU.
#ifndef LOCKSTEP_LIB_PEER_PEER_UPDATE_H_
#define LOCKSTEP_LIB_PEER_PEER_UPDATE_H_

#include <cuda_runtime.h>

#include <cstdint>

#include "lib/kernels/gpu_timestamps.h"
#include "lib/kernels/sgd.h"
#include "lib/peer/peer_flags.h"
#include "lib/peer/peer_packet_sum.h"

namespace lockstep {

// Destination of the packets of both arrays, and the row of the flags.
struct PeerPush {
  PeerFlags flags;
  uint32_t row = 0;
  PacketBuffers weights, batch_norms;  // only buffer 0 of each is used; each must hold the whole array
  uint32_t* done = nullptr;            // device memory of this rank only; must be 0 before, and is 0 afterwards
};

// Timestamps taken when the data of the other ranks have arrived: written as by RecordTimestamp, to `columns` columns.
struct ArrivalTimestamps {
  static constexpr uint32_t kMaxColumns = 2;

  const uint32_t* step = nullptr;
  TimestampTable table;
  uint32_t columns = 0;
  uint32_t column[kMaxColumns] = {};
};

// Input of PeerUpdate. `gradient` of both arrays is this rank's gradient. It is replaced by the sum over all ranks, as
// with SgdInput::of_rank, which is not used. G: float or __nv_bfloat16.
template <typename G>
struct PeerUpdateInput {
  SgdInput<G> weights;
  SgdInput<float> batch_norms;
  ArrivalTimestamps arrival;
};

// Runs on `stream`; every rank must make the same call. Uses at most `max_blocks` blocks, for ranks that share a GPU;
// 0: as many as are useful. Returns the launch's error, or cudaErrorInvalidValue if the row does not exist, the receive
// memory is too small, there are too many columns, or a gradient is already a sum. Can be captured. A rank that does
// not arrive is reported as by AwaitPeerFlags; the parameters are then invalid.
template <typename G>
cudaError_t PeerUpdate(const PeerPush& push, const PeerUpdateInput<G>& input, cudaStream_t stream,
                       uint32_t max_blocks = 0);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_PEER_UPDATE_H_
