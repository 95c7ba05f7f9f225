#include "lib/scale_run/reducer_choice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/collectives/max_peer_ranks.h"
#include "lib/scale_run/point_variants.h"
#include "lib/scaling/point_settings.h"

namespace lockstep {
namespace {

// Maximum number of ranks for --reducer=peer under auto. Without a shared update, each gradient is sent whole to every
// other rank: N / 2 times the bytes of a ring. Predicted from runs on two GPUs: faster than NCCL on four, slower on
// eight (benchmarks/results/notes.md, "Four and eight GPUs").
constexpr uint32_t kMaxWholeCopyRanks = 4;

constexpr char kWhyNotShared[] = "hierarchical shares the update only with bf16 without --clip_norm and --lars";

// Returns the number of ranks for which the reducer of a point of `ranks` ranks is chosen.
uint32_t DecidingRanks(const proto::ScaleSpec& spec, uint32_t ranks) {
  uint32_t fewest = 0;  // smallest number of ranks above 1
  for (const uint32_t other : spec.ranks()) {
    fewest = other > 1 && (fewest == 0 || other < fewest) ? other : fewest;
  }
  return ranks == 1 && fewest != 0 ? fewest : ranks;
}

}  // namespace

ReducerChoice ChooseReducer(const proto::ScaleSpec& spec, uint32_t ranks, const RankPlace& place) {
  const proto::TrainingSpec& training = spec.training();
  if (spec.mode() == proto::DP || training.step() != proto::FUSED || training.device() != proto::CUDA || ranks < 2) {
    return {"own", ""};  // the only reducer
  }
  if (!place.one_host && !place.why_not_hierarchical.empty()) {
    return {"own", place.why_not_hierarchical};
  }
  if (place.one_host && ranks > kMaxPeerRanks) {
    return {"own", absl::StrCat("copies between GPUs support at most ", kMaxPeerRanks, " ranks")};
  }
  if (!place.own_gpus) {
    return {"own", "ranks share a GPU"};
  }
  if (!place.why_no_peers.empty()) {
    return {"own", place.why_no_peers};
  }
  if (!place.one_host) {
    return {"hierarchical", CanShareUpdate(training) ? "" : kWhyNotShared};
  }
  if (CanShareUpdate(training)) {
    return {"peer_sharded", ""};
  }
  constexpr char kWhyWhole[] = "peer_sharded needs bf16 without --clip_norm and --lars";
  if (ranks > kMaxWholeCopyRanks) {
    return {"own", absl::StrCat(kWhyWhole, ", and peer sends too much among more than ", kMaxWholeCopyRanks, " ranks")};
  }
  return {"peer", kWhyWhole};
}

void SettleReducer(const proto::ScaleSpec& spec, const PlaceOfRanks& place_of, proto::ScalePoint& point) {
  if (spec.reducer() != "auto") {
    return;
  }
  const uint32_t ranks = DecidingRanks(spec, point.ranks());
  const ReducerChoice choice = ChooseReducer(spec, ranks, place_of(ranks));
  point.set_reducer(choice.reducer);
  point.set_reducer_reason(choice.why);
}

void SettleReducerOfRows(const proto::ScaleSpec& spec, const PlaceOfRanks& place_of,
                         std::vector<proto::ScalePoint>& points) {
  const auto limit = std::find_if(points.begin(), points.end(),
                                  [](const proto::ScalePoint& point) { return !CanShareUpdate(point.training()); });
  proto::ScaleSpec of_rows = spec;
  if (limit != points.end()) {
    *of_rows.mutable_training() = limit->training();
  }
  for (proto::ScalePoint& point : points) {
    SettleReducer(of_rows, place_of, point);
  }
}

std::string SharedGpuWarning(const std::vector<proto::ScalePoint>& points, uint32_t ranks_per_gpu) {
  const auto waits = std::find_if(points.begin(), points.end(), [](const proto::ScalePoint& point) {
    return point.ranks() > 1 && (point.reducer() == "peer" || point.reducer() == "peer_sharded");
  });
  if (ranks_per_gpu < 2 || waits == points.end()) {
    return "";
  }
  return absl::StrCat("--reducer=", waits->reducer(), " with LOCKSTEP_RANKS_PER_GPU=", ranks_per_gpu,
                      ": under NVIDIA MPS, ranks that share a GPU can wait for one another until --timeout ends the "
                      "run; use --reducer=own");
}

void FallBackFrom(const proto::ScalePoint& measured, std::vector<proto::ScalePoint>& points) {
  auto point = std::find_if(points.begin(), points.end(), [&](const proto::ScalePoint& planned) {
    proto::ScalePoint as_planned = measured;
    as_planned.set_reducer(planned.reducer());
    return PointKey(as_planned) == PointKey(planned);
  });
  if (measured.reducer_reason().empty() || point == points.end() || point->reducer() == measured.reducer()) {
    return;
  }
  for (; point != points.end(); ++point) {
    if (IsByPeers(point->reducer()) && point->ranks() >= measured.ranks()) {
      point->set_reducer(measured.reducer());
      point->set_reducer_reason(measured.reducer_reason());
    }
  }
}

}  // namespace lockstep
