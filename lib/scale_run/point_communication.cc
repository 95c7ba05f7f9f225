#include "lib/scale_run/point_communication.h"

#include <algorithm>
#include <cstddef>

#include "lib/reducer/exchange_counter.h"
#include "lib/reducer/exchange_times.h"
#include "lib/reducer/overlap_timing.h"
#include "lib/scale_run/step_figures.h"

namespace lockstep {
namespace {

double Sum(const proto::Samples& samples) {
  double sum = 0;
  for (const double value : samples.value()) {
    sum += value;
  }
  return sum;
}

// Adds one epoch's sums, and its steps for the comparison of the ranks.
void AddEpoch(const std::vector<StepSummary>& steps, AllReduces all_reduces, proto::ScalePoint& point) {
  double exposed_seconds = 0, busy_seconds = 0;
  for (const StepSummary& step : steps) {
    exposed_seconds += step.exposed_seconds;
    busy_seconds += step.busy_seconds;
  }
  if (all_reduces == AllReduces::kSent) {
    point.mutable_exposed_seconds()->add_value(exposed_seconds);
    point.mutable_collective_busy_seconds()->add_value(busy_seconds);
  }
  AddToTrace(steps, all_reduces, *point.mutable_step_trace());
}

void AddBuckets(const std::vector<BucketTimes>& mean, const std::vector<uint64_t>& size_bytes, AllReduces all_reduces,
                proto::ScalePoint& point) {
  for (size_t i = 0; i < std::min(mean.size(), size_bytes.size()); ++i) {
    proto::Bucket& bucket = *point.add_bucket();
    bucket.set_size_bytes(size_bytes[i]);
    bucket.set_mean_ready_seconds(mean[i].ready_seconds);
    if (all_reduces == AllReduces::kSent) {
      bucket.set_mean_done_seconds(mean[i].end_seconds);
    }
  }
}

// Adds autograd's steps; the reducer records timestamps in each of them.
void AddReduced(PointGroup& group, const proto::SweepPoint& trained, AllReduces all_reduces, proto::ScalePoint& point,
                proto::RankFacts& facts) {
  std::vector<StepTimes> epochs;
  for (const ReducerTimes& epoch : group.epochs()) {
    AddEpoch(epoch.steps, all_reduces, point);
    if (!epoch.mean_bucket.empty()) {  // epoch of this process
      epochs.push_back({0, epoch.mean_bucket});
    }
  }
  GradientReducer& reducer = group.hook()->reducer();
  AddBuckets(MeanBucketTimes(epochs), reducer.BucketBytes(), all_reduces, point);
  for (int i = 0; i < point.bucket_size(); ++i) {
    point.mutable_bucket(i)->set_parameter_count(
        static_cast<uint32_t>(reducer.buckets()[static_cast<size_t>(i)].size()));
  }
  point.mutable_step_figures()->set_source("timed epochs");
  const double steps = point.step_trace().backward_seconds_size();
  proto::StepMeans& means = *facts.mutable_step_means();
  means = MeansOf(point.step_trace());
  means.set_step_seconds(Sum(trained.step_seconds()) / steps);
  means.set_forward_seconds((Sum(trained.copy_seconds()) + Sum(trained.forward_seconds())) / steps);
  means.set_update_seconds(Sum(trained.optimizer_seconds()) / steps);
}

// Adds the fused steps. If the batch does not divide the shard, the last step is shorter and may have fewer
// ranges; the buckets are those of the other steps.
void AddInstrumented(const PointGroup& group, const proto::SweepPoint& trained,
                     const std::vector<ExchangeStep>& instrumented, AllReduces all_reduces, proto::ScalePoint& point,
                     proto::RankFacts& facts) {
  std::vector<StepSummary> summaries;
  std::vector<StepTimes> alike;
  proto::StepMeans sums;
  for (const ExchangeStep& step : instrumented) {
    StepTimes times = TimesOf(step, all_reduces);
    const StepSummary& summary = summaries.emplace_back(SummaryOf(times, all_reduces));
    if (times.buckets.size() == instrumented[0].ranges.size()) {
      alike.push_back(std::move(times));
    }
    sums.set_forward_seconds(sums.forward_seconds() + step.forward_seconds);
    sums.set_update_seconds(sums.update_seconds() + step.update_seconds - summary.exposed_seconds);
    sums.set_step_seconds(sums.step_seconds() + step.forward_seconds + step.backward_seconds + step.update_seconds +
                          step.between_seconds);
  }
  AddEpoch(summaries, all_reduces, point);
  if (alike.size() > 1) {
    alike.pop_back();
  }
  AddBuckets(MeanBucketTimes(alike), group.exchange_counter()->CountOfStep().range_bytes, all_reduces, point);
  point.mutable_step_figures()->set_source("an instrumented epoch");
  point.mutable_step_figures()->set_perturbation(trained.step_parts().perturbation());
  const auto steps = static_cast<double>(instrumented.size());
  proto::StepMeans& means = *facts.mutable_step_means();
  means = MeansOf(point.step_trace());
  means.set_step_seconds(sums.step_seconds() / steps);
  means.set_forward_seconds(sums.forward_seconds() / steps);
  means.set_update_seconds(sums.update_seconds() / steps);
}

const char* WhyNotMeasured(const PointGroup& group, const proto::SweepPoint& trained) {
  return group.replays()                                ? "timestamps in a replayed CUDA graph cannot be read"
         : group.exchange_counter() == nullptr          ? "no epoch was timed"
         : trained.step_parts().absent_reason().empty() ? "there was no instrumented epoch"
                                                        : trained.step_parts().absent_reason().c_str();
}

}  // namespace

const char* NothingSent(const PointGroup& group, const proto::ScalePoint& point) {
  return point.reduction() == proto::STAR      ? "DataParallel has no all-reduce"
         : !group.reduces()                    ? "there is no reducer"
         : point.reduction() == proto::ABLATED ? "the all-reduces are left out"
                                               : "one rank alone sends nothing";
}

void AddCommunication(PointGroup& group, const proto::SweepPoint& trained,
                      const std::vector<ExchangeStep>& instrumented, proto::ScalePoint& point,
                      proto::RankFacts& facts) {
  const bool sent = point.reduction() == proto::ALL_REDUCE;
  const AllReduces all_reduces = sent ? AllReduces::kSent : AllReduces::kLeftOut;
  if (!instrumented.empty()) {
    AddInstrumented(group, trained, instrumented, all_reduces, point, facts);
  } else if (!group.epochs().empty()) {
    AddReduced(group, trained, all_reduces, point, facts);
  }
  for (proto::Samples* samples : {point.mutable_exposed_seconds(), point.mutable_collective_busy_seconds()}) {
    if (samples->value().empty()) {
      samples->set_absent_reason(sent ? WhyNotMeasured(group, trained) : NothingSent(group, point));
    }
  }
}

}  // namespace lockstep
