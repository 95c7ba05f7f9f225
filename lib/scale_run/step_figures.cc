#include "lib/scale_run/step_figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/statistics/mean.h"
#include "lib/statistics/percentile.h"

namespace lockstep {
namespace {

using Figures = google::protobuf::RepeatedField<double>;

// Returns the square root of the sample variance.
double Deviation(const std::vector<double>& seconds, double mean) {
  double squares = 0;
  for (const double value : seconds) {
    squares += (value - mean) * (value - mean);
  }
  return seconds.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(seconds.size() - 1));
}

absl::Status CheckTraces(const std::vector<proto::ScalePoint>& points) {
  const proto::StepTrace& first = points[0].step_trace();
  for (size_t rank = 0; rank < points.size(); ++rank) {
    const proto::StepTrace& trace = points[rank].step_trace();
    if (trace.backward_seconds_size() != first.backward_seconds_size() ||
        trace.exposed_seconds_size() != first.busy_seconds_size() ||
        trace.busy_seconds_size() != first.busy_seconds_size()) {
      return absl::InternalError(absl::StrCat("rank ", rank, " measured other steps than rank 0"));
    }
  }
  const int epochs = points[0].collective_busy_seconds().value_size();
  return epochs > 0 ? first.busy_seconds_size() % epochs == 0
                          ? absl::OkStatus()
                          : absl::InternalError(
                                absl::StrCat(first.busy_seconds_size(), " steps are not ", epochs, " whole epochs"))
                    : absl::OkStatus();
}

// Returns for each step the largest value of any rank.
std::vector<double> Largest(const std::vector<Figures>& of_rank) {
  std::vector<double> largest(of_rank[0].begin(), of_rank[0].end());
  for (const Figures& figures : of_rank) {
    for (size_t step = 0; step < largest.size(); ++step) {
      largest[step] = std::max(largest[step], figures.Get(static_cast<int>(step)));
    }
  }
  return largest;
}

// Returns each rank's wait for the others in each step: its busy seconds minus the smallest of any rank. Adds 1 to
// `last_count` of the rank that waited least, the first of equal ones.
std::vector<Figures> Waits(const std::vector<Figures>& busy, std::vector<uint64_t>& last_count) {
  std::vector<Figures> waits = busy;
  for (int step = 0; step < busy[0].size(); ++step) {
    const auto least = std::min_element(
        busy.begin(), busy.end(), [step](const Figures& a, const Figures& b) { return a.Get(step) < b.Get(step); });
    ++last_count[static_cast<size_t>(least - busy.begin())];
    for (Figures& wait : waits) {
      wait.Set(step, wait.Get(step) - least->Get(step));
    }
  }
  return waits;
}

// Returns for each epoch the largest sum of any rank.
proto::Samples EpochSums(const std::vector<Figures>& of_rank, int epochs) {
  proto::Samples sums;
  const int steps = of_rank[0].size() / epochs;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    double largest = 0;
    for (const Figures& figures : of_rank) {
      const auto first = figures.begin() + epoch * steps;
      largest = std::max(largest, std::accumulate(first, first + steps, 0.0));
    }
    sums.add_value(largest);
  }
  return sums;
}

}  // namespace

proto::StepSpread SpreadOfSteps(std::vector<double> seconds, const std::string& reason) {
  proto::StepSpread spread;
  if (seconds.empty()) {
    spread.set_absent_reason(reason);
    return spread;
  }
  std::sort(seconds.begin(), seconds.end());
  const double mean = Mean(seconds);
  spread.set_count(seconds.size());
  spread.set_mean_seconds(mean);
  spread.set_deviation_seconds(Deviation(seconds, mean));
  spread.set_min_seconds(seconds.front());
  spread.set_p50_seconds(Percentile(seconds, 0.5));
  spread.set_p90_seconds(Percentile(seconds, 0.9));
  spread.set_p99_seconds(Percentile(seconds, 0.99));
  spread.set_max_seconds(seconds.back());
  spread.set_negative_count(
      static_cast<uint64_t>(std::lower_bound(seconds.begin(), seconds.end(), 0.0) - seconds.begin()));
  return spread;
}

void AddToTrace(const std::vector<StepSummary>& steps, AllReduces all_reduces, proto::StepTrace& trace) {
  for (const StepSummary& step : steps) {
    trace.add_backward_seconds(step.backward_seconds);
    if (all_reduces == AllReduces::kSent) {
      trace.add_exposed_seconds(step.exposed_seconds);
      trace.add_busy_seconds(step.busy_seconds);
    }
  }
}

std::vector<StepSummary> StepsOf(const proto::StepTrace& trace) {
  std::vector<StepSummary> steps;
  for (int i = 0; i < trace.backward_seconds_size(); ++i) {
    StepSummary& step = steps.emplace_back();
    step.backward_seconds = trace.backward_seconds(i);
    if (i < trace.busy_seconds_size()) {
      step.exposed_seconds = trace.exposed_seconds(i);
      step.busy_seconds = trace.busy_seconds(i);
    }
  }
  return steps;
}

proto::StepMeans MeansOf(const proto::StepTrace& trace) {
  proto::StepMeans means;
  means.set_backward_seconds(Mean(trace.backward_seconds()));
  means.set_exposed_seconds(Mean(trace.exposed_seconds()));
  means.set_busy_seconds(Mean(trace.busy_seconds()));
  return means;
}

absl::Status MergeSteps(const std::vector<proto::ScalePoint>& points, proto::ScalePoint& merged) {
  RETURN_IF_ERROR(CheckTraces(points));
  merged.clear_step_trace();
  *merged.mutable_collective_wait_seconds() = {};
  merged.mutable_collective_wait_seconds()->set_absent_reason(merged.collective_busy_seconds().absent_reason());
  if (!points[0].has_step_trace()) {
    return absl::OkStatus();
  }
  std::vector<Figures> backward, exposed, busy;
  for (const proto::ScalePoint& point : points) {
    backward.push_back(point.step_trace().backward_seconds());
    exposed.push_back(point.step_trace().exposed_seconds());
    busy.push_back(point.step_trace().busy_seconds());
  }
  std::vector<uint64_t> last_count(points.size());
  const std::vector<Figures> wait = Waits(busy, last_count);
  proto::StepFigures& figures = *merged.mutable_step_figures();
  const std::string& reason = merged.collective_busy_seconds().absent_reason();
  *figures.mutable_backward_seconds() = SpreadOfSteps(Largest(backward), "no step was timed individually");
  *figures.mutable_exposed_seconds() = SpreadOfSteps(Largest(exposed), reason);
  *figures.mutable_busy_seconds() = SpreadOfSteps(Largest(busy), reason);
  *figures.mutable_wait_seconds() = SpreadOfSteps(Largest(wait), reason);
  if (busy[0].empty()) {
    return absl::OkStatus();
  }
  *merged.mutable_collective_wait_seconds() = EpochSums(wait, merged.collective_busy_seconds().value_size());
  for (size_t rank = 0; rank < points.size(); ++rank) {
    proto::RankFacts& facts = *merged.mutable_rank(static_cast<int>(rank));
    facts.mutable_step_means()->set_wait_seconds(Mean(wait[rank]));
    facts.set_last_count(last_count[rank]);
  }
  return absl::OkStatus();
}

}  // namespace lockstep
