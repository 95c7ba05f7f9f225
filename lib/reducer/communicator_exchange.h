// Gradient exchange of the fused step (lib/fused) over a communicator, for ranks with a GPU each.
#ifndef LOCKSTEP_LIB_REDUCER_COMMUNICATOR_EXCHANGE_H_
#define LOCKSTEP_LIB_REDUCER_COMMUNICATOR_EXCHANGE_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/host_topology.h"
#include "lib/collectives/communication_dtype.h"
#include "lib/communicator/communicator.h"
#include "lib/launch/store.h"
#include "lib/reducer/exchange_counter.h"

namespace lockstep {

class GradientExchange;  // lib/fused/gradient_exchange.h

// Exchange of the fused step, and its counts.
struct MadeExchange {
  std::shared_ptr<GradientExchange> exchange;
  const ExchangeCounter* counter = nullptr;  // part of `exchange`
};

// Maximum number of weights that a step exchanges. ResNet-34 for 1,000 classes has 21.8 million.
inline constexpr int64_t kMaxExchanged = 22 << 20;

struct CommunicatorExchangeOptions {
  c10::Device device = c10::Device(c10::kCUDA, 0);
  CommunicationDtype communication_dtype = CommunicationDtype::kFp32;
  bool sends = true;  // false: no-op exchange that keeps the stream order; each rank keeps its own gradients
  uint32_t max_multiprocessors = 0;  // limit for the communicator's kernels: see NcclOptions
};

// Makes an exchange over `communicator`, which must outlive it. All ranks must call it. Checks sums first
// (counted_exchange.h), so that the communicator is connected before a step is captured. Aborted: a sum was wrong.
// Unimplemented: this build has no CUDA. Other errors are those of the communicator.
absl::StatusOr<MadeExchange> MakeCommunicatorExchange(Communicator& communicator,
                                                      const CommunicatorExchangeOptions& options);

struct PeerExchangeOptions {
  c10::Device device = c10::Device(c10::kCUDA, 0);
  CommunicationDtype communication_dtype = CommunicationDtype::kFp32;
  absl::Duration timeout = absl::Seconds(60);  // limit of a wait for another rank; the GPU counts in units of 4.3 s
  bool shares_update = false;  // each rank updates its share of the large ranges' weights for all ranks (ZeRO-1)
  bool sends = true;           // false: same launches without sends, waits and sums (no_op_exchange.h)
};

// Makes an exchange like MakeCommunicatorExchange, with the same errors, but without a communication library: for GPUs
// of one host that can access each other's memory (peer_exchange.cc). The ranks find each other through `communicator`.
// FailedPrecondition, on all ranks: a GPU cannot access the memory of another.
absl::StatusOr<MadeExchange> MakePeerExchange(Communicator& communicator, const PeerExchangeOptions& options);

struct HierarchicalExchangeOptions {
  PeerExchangeOptions peers;         // options of the exchange within each host; `sends` is that of both levels
  uint32_t max_multiprocessors = 0;  // limit for the communicator's kernels: see NcclOptions
};

// Makes an exchange over several hosts (hierarchical_exchange.cc): through peer memory within each host, and over NCCL
// between hosts, where each rank sums its share with the ranks that have the same index on the other hosts. All ranks
// must call it with the hosts of all ranks. Checks sums first. Errors are those of MakeCommunicatorExchange and of
// NCCL; also FailedPrecondition, on all ranks: CheckHierarchical (host_place.h) fails, or a GPU cannot access the
// memory of another GPU of its host.
absl::StatusOr<MadeExchange> MakeHierarchicalExchange(Store& store, int rank, const HostTopology& hosts,
                                                      const HierarchicalExchangeOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_COMMUNICATOR_EXCHANGE_H_
