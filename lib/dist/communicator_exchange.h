// The gradients of the hand-written step over a communicator: lib/fused's exchange, for ranks with a GPU each.
#ifndef LOCKSTEP_LIB_DIST_COMMUNICATOR_EXCHANGE_H_
#define LOCKSTEP_LIB_DIST_COMMUNICATOR_EXCHANGE_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dist/communicator.h"
#include "lib/fused/wire.h"

namespace lockstep {

class GradientExchange;  // lib/fused/gradient_exchange.h

inline constexpr int64_t kMaxExchanged = 1 << 24;  // elements of a step: more than the network has

struct CommunicatorExchangeOptions {
  c10::Device device = c10::Device(c10::kCUDA, 0);
  Wire wire = Wire::kFp32;
  bool sends = true;                 // false: it only waits as ever, and each rank keeps what it has
  uint32_t max_multiprocessors = 0;  // what the communicator's kernels take: see NcclOptions
};

// Called by all ranks. Before it returns, sums are checked (counted_exchange.h), so that the communicator is connected
// before a step is captured. `communicator` outlives the exchange. Aborted: a sum was wrong. Unimplemented: built without
// CUDA. Others are the communicator's.
absl::StatusOr<std::shared_ptr<GradientExchange>> MakeCommunicatorExchange(Communicator& communicator,
                                                                           const CommunicatorExchangeOptions& options);

struct PeerExchangeOptions {
  c10::Device device = c10::Device(c10::kCUDA, 0);
  Wire wire = Wire::kFp32;
  absl::Duration timeout = absl::Seconds(60);  // of a wait for another rank, on the GPU too; counted in 4.3 s
  bool shares_update = false;  // each rank updates its share of the large ranges' weights for all (ZeRO-1)
  bool sends = true;           // false: the same launches but for what sends, waits or adds up (silent_exchange.h)
};

// The same without a library, for GPUs of one host that reach each other's memory (peer_exchange.cc). `communicator` is
// where the ranks find each other. FailedPrecondition, on all ranks alike: they do not reach it.
absl::StatusOr<std::shared_ptr<GradientExchange>> MakePeerExchange(Communicator& communicator,
                                                                   const PeerExchangeOptions& options);

// What one step hands over, of an exchange that was made above and has queued a step.
struct ExchangeCount {
  uint64_t calls = 0;
  uint64_t bytes = 0;
  std::vector<uint64_t> range_bytes;  // of each range in turn, whether it is sent or not
};
ExchangeCount CountOfStep(const GradientExchange& exchange);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_COMMUNICATOR_EXCHANGE_H_
