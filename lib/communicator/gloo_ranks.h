// All or some of the ranks of a run on CPUs, connected by Gloo.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_GLOO_RANKS_H_
#define LOCKSTEP_LIB_COMMUNICATOR_GLOO_RANKS_H_

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/communicator/communicator.h"
#include "lib/launch/store.h"

namespace lockstep {

// The operations have the contract of those of Communicator.
class GlooRanks {
 public:
  virtual ~GlooRanks() = default;
  virtual absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) = 0;
  virtual absl::Status Broadcast(const at::Tensor& flat, int root) = 0;
};

struct GlooOptions {
  int index = 0;           // place of this rank among the connected ranks
  int size = 1;            // number of connected ranks
  absl::Duration timeout;  // limit of every wait
  std::string group;  // name of the connected ranks, the same on these and on no others; empty: all ranks of the run
};

// Connects the ranks; all of them must call this function. `store` must outlive the result. Unavailable: another rank
// cannot be reached.
absl::StatusOr<std::unique_ptr<GlooRanks>> ConnectByGloo(Store& store, const GlooOptions& wanted);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_GLOO_RANKS_H_
