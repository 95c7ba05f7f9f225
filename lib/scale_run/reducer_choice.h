// Choice of the reducer by --reducer=auto for each point: peer memory if gradients can go through it, on several hosts
// together with NCCL; else NCCL or Gloo. Does not depend on LibTorch and CUDA.
//
// The choice is made twice: when the points are planned, from the known placement of the ranks; and by the ranks of a
// point together, when they try to share their GPUs' memory. A record contains the reducer that ran.
#ifndef LOCKSTEP_LIB_SCALE_RUN_REDUCER_CHOICE_H_
#define LOCKSTEP_LIB_SCALE_RUN_REDUCER_CHOICE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Placement of the first N ranks, as known to the run's leader.
struct RankPlace {
  bool one_host = true;
  std::string why_not_hierarchical;  // WhyNotHierarchical (lib/reducer/host_place.h); only used for several hosts
  bool own_gpus = true;              // each rank has a GPU to itself
  // Reason why the GPUs of a host do not share memory; empty: they do, as far as the leader's driver reports.
  std::string why_no_peers;
};

struct ReducerChoice {
  std::string reducer;  // "own", "peer", "peer_sharded" or "hierarchical"
  std::string why;      // one sentence why the choice is not the fastest reducer of all; empty: it is
};

// Returns the choice for a point. `spec` must be that of one variant, settled.
ReducerChoice ChooseReducer(const proto::ScaleSpec& spec, uint32_t ranks, const RankPlace& place);

using PlaceOfRanks = std::function<RankPlace(uint32_t ranks)>;

// Sets the reducer of a planned point of `spec` if spec.reducer is "auto". A point of one rank sends nothing; it
// measures the reducer's own cost. So if there are points of more ranks, it gets the reducer of the smallest number
// of them.
void SettleReducer(const proto::ScaleSpec& spec, const PlaceOfRanks& place_of, proto::ScalePoint& point);

// Does the same for an experiment's rows. The rows are compared in one table, so they all get one reducer that every
// row can use.
void SettleReducerOfRows(const proto::ScaleSpec& spec, const PlaceOfRanks& place_of,
                         std::vector<proto::ScalePoint>& points);

// Returns a warning if ranks of a point may share a GPU and wait for one another's gradients in kernels, as peer and
// peer_sharded do; empty: none do. Under NVIDIA MPS neither run on one H200 ended before --timeout.
std::string SharedGpuWarning(const std::vector<proto::ScalePoint>& points, uint32_t ranks_per_gpu);

// Changes the reducers of later points after the ranks of a point fell back to another reducer: later points with at
// least as many ranks fall back too. So a point and its counterpart without all-reduces are trained in the same way.
// `measured` must be the point as it ran.
void FallBackFrom(const proto::ScalePoint& measured, std::vector<proto::ScalePoint>& points);

// Returns the result of `peers`. If the GPUs' memory cannot be shared (FailedPrecondition, which all ranks get
// together), returns the result of `own` and sets `why`. Does not fall back on other errors.
template <typename Exchange>
absl::StatusOr<Exchange> PeersOrOwn(const std::function<absl::StatusOr<Exchange>()>& peers,
                                    const std::function<absl::StatusOr<Exchange>()>& own, std::string& why) {
  absl::StatusOr<Exchange> exchange = peers();
  if (!absl::IsFailedPrecondition(exchange.status())) {
    return exchange;
  }
  why = "the GPUs' memory cannot be shared: " + std::string(exchange.status().message());
  return own();
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_REDUCER_CHOICE_H_
