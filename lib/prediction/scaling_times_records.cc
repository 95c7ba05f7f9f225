// Makes ScalingTimes from a scale record.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/host_topology.h"
#include "lib/collectives/all_reduce_points.h"
#include "lib/prediction/scaling_times.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/point_settings.h"
#include "lib/scaling/pooled_probe.h"
#include "lib/scaling/recorded_hosts.h"

namespace lockstep {
namespace {

// Returns an estimate if it is positive and finite, else nullopt.
std::optional<Estimate> TimesIn(const proto::Samples& samples, double run_to_run_fraction) {
  const std::optional<Estimate> estimate = EstimateOf(samples, run_to_run_fraction);
  const bool times = estimate.has_value() && estimate->value > 0 && std::isfinite(estimate->value) &&
                     std::isfinite(estimate->variance);
  return times ? estimate : std::nullopt;
}

// Returns the reducer's cost on one device by batch: the time with the reducer minus the plain time.
std::map<uint32_t, Estimate> ReducerSeconds(const ScaleRecords& scale, double run_to_run_fraction) {
  std::map<uint32_t, Estimate> plain, reduced;
  for (const proto::ScaleRecord& record : scale.records) {
    const proto::ScalePoint& point = record.point();
    const std::optional<Estimate> step = TimesIn(point.step_seconds(), run_to_run_fraction);
    if (record.has_point() && point.ranks() == 1 && point.outcome() == proto::COMPLETED && step.has_value()) {
      (point.reduction() == proto::PLAIN ? plain : reduced).emplace(point.batch_per_device(), *step);
    }
  }
  std::map<uint32_t, Estimate> cost;
  for (const auto& [batch, seconds] : reduced) {
    if (const auto base = plain.find(batch); base != plain.end()) {
      cost.emplace(batch, seconds - base->second);
    }
  }
  return cost;
}

double SentShare(absl::string_view gradient_compression) { return gradient_compression == "bf16" ? 0.5 : 1; }

// Returns no buckets at all if one of them has no time or an impossible size. Autograd's buckets are of fp32 gradients;
// the ranges of the fused step have the size that is sent.
std::vector<BucketLoad> BucketsOf(const proto::ScalePoint& point) {
  std::vector<BucketLoad> buckets;
  const double share = point.step() == proto::FUSED ? 1 : SentShare(point.gradient_compression());
  for (const proto::Bucket& bucket : point.bucket()) {
    if (!std::isfinite(bucket.mean_ready_seconds()) || bucket.size_bytes() > kMaxMessageBytes) {
      return {};
    }
    buckets.push_back({static_cast<double>(bucket.size_bytes()) * share, bucket.mean_ready_seconds()});
  }
  return buckets;
}

// Returns the buckets of the point with the reducer, because the plain point of one device has none.
std::vector<BucketLoad> BucketsFor(const ScaleRecords& scale, const proto::ScalePoint& point) {
  for (const proto::ScaleRecord& record : scale.records) {
    const proto::ScalePoint& other = record.point();
    if (record.has_point() && other.ranks() == point.ranks() && other.batch_per_device() == point.batch_per_device() &&
        other.reduction() == proto::ALL_REDUCE) {
      return BucketsOf(other);
    }
  }
  return {};
}

// Returns nullopt for a point without times.
std::optional<ScalingTime> TimeOf(const proto::ScalePoint& point, double run_to_run_fraction) {
  const std::optional<Estimate> epoch = TimesIn(point.epoch_seconds(), run_to_run_fraction);
  const std::optional<Estimate> step = TimesIn(point.step_seconds(), run_to_run_fraction);
  const bool whole = point.ranks() > 0 && point.batch_per_device() > 0 && point.images_per_epoch() > 0;
  if (point.outcome() != proto::COMPLETED || !whole || !epoch.has_value() || !step.has_value()) {
    return std::nullopt;
  }
  ScalingTime time;
  time.ranks = point.ranks();
  time.batch = point.batch_per_device();
  time.images_per_rank = point.images_per_epoch() / point.ranks();
  time.epoch_seconds = *epoch;
  time.step_seconds = *step;
  const std::optional<Estimate> wait = EstimateOf(point.collective_wait_seconds(), 0);
  if (wait.has_value() && std::isfinite(wait->value)) {
    time.wait_seconds = wait->value;
  }
  return time;
}

// Sets the hosts of a point, if they are known, and the exchange between them.
void SetHosts(const ScaleRecords& scale, const proto::ScaleSpec& spec, const proto::ScalePoint& point,
              ScalingTime& time) {
  if (scale.input.sha256().empty()) {
    return;  // several files, of which the spec is that of the first (join_records.h)
  }
  const int named = std::max(spec.launch().host_size(), spec.virtual_host_size());  // ranks whose host is named
  if (named == 0) {
    time.hosts = 1;  // scale_run itself started all ranks
    return;
  }
  if (point.ranks() > static_cast<uint32_t>(named)) {
    return;
  }
  const HostTopology hosts = RecordedHosts(spec, point.ranks());
  if (!hosts.IsUniform()) {
    return;
  }
  time.hosts = static_cast<uint32_t>(hosts.hosts());
  const std::string hierarchical(ExchangeName(Exchange::kHierarchical));
  if (hosts.ranks() > hosts.hosts() &&
      (SettingsOf(spec, point).reducer() == hierarchical || point.communicator() == hierarchical)) {
    time.exchange = Exchange::kHierarchical;
  }
}

// Returns the path of the point with the most ranks.
GpuPath PathOf(const proto::ScaleSpec& spec, const std::vector<const proto::ScalePoint*>& points) {
  const auto most = std::max_element(points.begin(), points.end(),
                                     [](const auto* a, const auto* b) { return a->ranks() < b->ranks(); });
  if (most == points.end() || spec.training().device() != proto::CUDA) {
    return GpuPath::kUnknown;
  }
  return IsByPeers(SettingsOf(spec, **most).reducer()) ? GpuPath::kPeerMemory : GpuPath::kNccl;
}

bool IsTimed(const proto::ScaleRecord& record) { return record.has_point() && IsTimedPoint(record.point()); }

// Adds one probe per number of ranks, from the operations of all completed points: the link does not depend on the
// batch.
void AddProbes(const std::vector<const proto::ScalePoint*>& points, double run_to_run_fraction, ScalingTimes& times) {
  std::set<uint32_t> all_ranks;
  for (const proto::ScalePoint* point : points) {
    all_ranks.insert(point->ranks());
  }
  for (const uint32_t ranks : all_ranks) {
    const PooledProbe probe = PoolProbes(points, ranks);
    const std::optional<Estimate> seconds = TimesIn(probe.seconds, run_to_run_fraction);
    if (ranks > 1 && seconds.has_value() && probe.size_bytes > 0) {
      times.probes.push_back({ranks, static_cast<double>(probe.size_bytes), *seconds});
    }
  }
}

// Adds batches of one device that the scale record does not have.
void AddSweep(const SweepRecords& sweep, double run_to_run_fraction, ScalingTimes& times) {
  for (const proto::SweepRecord& record : sweep.records) {
    const proto::SweepPoint& point = record.point();
    const std::optional<Estimate> epoch = TimesIn(point.epoch_seconds(), run_to_run_fraction);
    const std::optional<Estimate> step = TimesIn(point.step_seconds(), run_to_run_fraction);
    const bool known = std::any_of(times.times.begin(), times.times.end(), [&](const ScalingTime& time) {
      return time.ranks == 1 && time.batch == point.batch_size();
    });
    if (!record.has_point() || known || point.outcome() != proto::COMPLETED || !epoch.has_value() ||
        !step.has_value()) {
      continue;
    }
    ScalingTime time;
    time.ranks = 1;
    time.batch = point.batch_size();
    time.images_per_rank = point.images_per_epoch();
    time.epoch_seconds = *epoch;
    time.step_seconds = *step;
    times.times.push_back(time);
  }
}

}  // namespace

bool RanOverHosts(const ScalingTimes& times) {
  return std::any_of(times.times.begin(), times.times.end(), [](const ScalingTime& time) { return time.hosts > 1; });
}

absl::StatusOr<ScalingTimes> TimesOfRecords(const ScaleRecords& scale, const SweepRecords* sweep,
                                            double run_to_run_fraction) {
  const proto::ScaleSpec* spec = FindSpec(scale);
  if (spec == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        scale.input.path(), ": expected a scale record with a ScaleSpec, found none; make the record again"));
  }
  ScalingTimes times;
  times.source = scale.input.path();
  times.training_images = spec->model().training_images();
  times.gradient_bytes = spec->model().gradient_bytes();
  times.whole_copies = spec->reducer() == "peer";
  times.sent_share = SentShare(spec->gradient_compression());
  times.ranks_share_a_host_cpu = spec->training().device() == proto::CPU;
  times.cpu_cores = scale.header.host().cpu_cores();
  const std::map<uint32_t, Estimate> reducer = ReducerSeconds(scale, run_to_run_fraction);
  std::vector<const proto::ScalePoint*> timed;
  for (const proto::ScaleRecord& record : scale.records) {
    std::optional<ScalingTime> time = IsTimed(record) ? TimeOf(record.point(), run_to_run_fraction) : std::nullopt;
    if (!time.has_value()) {
      continue;
    }
    timed.push_back(&record.point());
    time->buckets = BucketsFor(scale, record.point());
    SetHosts(scale, *spec, record.point(), *time);
    if (const auto cost = reducer.find(time->batch); time->ranks == 1 && cost != reducer.end()) {
      time->reducer_seconds = cost->second;
    }
    if (time->images_per_rank * time->ranks < times.training_images) {
      times.tail = Tail::kDropped;
    }
    times.times.push_back(*std::move(time));
  }
  times.gpu_path = PathOf(*spec, timed);
  AddProbes(timed, run_to_run_fraction, times);
  if (sweep != nullptr && WhySweepDiffers(scale, *sweep).empty()) {
    AddSweep(*sweep, run_to_run_fraction, times);
  }
  return times;
}

}  // namespace lockstep
