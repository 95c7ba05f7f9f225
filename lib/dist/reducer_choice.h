// What --reducer=auto takes, point by point: the other GPUs' memory where gradients can go through it, else NCCL or Gloo.
// Knows nothing of LibTorch and CUDA.
//
// It is decided twice: when the points are planned, by what is known of the ranks' places; and by the ranks of a point
// together, when they come to share their GPUs' memory. What is written of a point is what ran.
#ifndef LOCKSTEP_LIB_DIST_REDUCER_CHOICE_H_
#define LOCKSTEP_LIB_DIST_REDUCER_CHOICE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

inline constexpr uint32_t kMaxChosenPeers = 16;  // kMaxPeerRanks of lib/kernels, which peer_exchange.cc compares

// Whether each rank can update a share of the weights for all (peer_sharded).
bool CanShareUpdate(const proto::TrainingSpec& training);

// Where the first N ranks are, as the run's leader knows it.
struct RankPlace {
  bool one_host = true;
  bool own_gpus = true;      // each rank has one to itself
  std::string why_no_peers;  // the GPUs do not share memory; empty: they do, as far as the driver tells
};

struct ReducerChoice {
  std::string reducer;  // "own", "peer" or "peer_sharded"
  std::string why;      // not the fastest that there is, in one sentence; empty: it is
};

// `spec`: of one variant, settled.
ReducerChoice ChooseReducer(const proto::ScaleSpec& spec, uint32_t ranks, const RankPlace& place);

using PlaceOfRanks = std::function<RankPlace(uint32_t ranks)>;

// Gives a planned point of `spec` its choice, where spec.reducer is "auto". One rank has nobody to send to: beside points of
// more ranks it is there for their reducer's own cost, and has the reducer of the fewest of them.
void SettleReducer(const proto::ScaleSpec& spec, const PlaceOfRanks& place_of, proto::ScalePoint& point);

// The same for the rows of an experiment, which are read in one table and have one reducer: one that every row can have.
void SettleReducerOfRows(const proto::ScaleSpec& spec, const PlaceOfRanks& place_of,
                         std::vector<proto::ScalePoint>& points);

// Where the ranks of a planned point fell back, so do those that come behind it, if they are as many or more: a point and
// its twin without all-reduces stay one way to train. `measured`: the point as it ran.
void FallBackFrom(const proto::ScalePoint& measured, std::vector<proto::ScalePoint>& points);

// What `peers` makes; where the GPUs' memory cannot be shared (FailedPrecondition, which all ranks have alike), what `own`
// makes, and `why` says so. Another error is no reason.
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

#endif  // LOCKSTEP_LIB_DIST_REDUCER_CHOICE_H_
