#include "lib/scaling/star_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/least_squares.h"
#include "lib/statistics/quantity.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

// Returns the bytes of an image and of its logits in fp32. Older records do not state classes and size, which are those
// of CIFAR-10.
double ImageBytes(const proto::ModelFacts& model) {
  return 3 * 4.0 * (model.height() == 0 ? 32 : model.height()) * (model.width() == 0 ? 32 : model.width());
}
double OutputBytes(const proto::ModelFacts& model) { return 4.0 * (model.classes() == 0 ? 10 : model.classes()); }

// Direction of the traffic, as device 0 sees it.
enum class Direction { kSent, kReceived };

// One phase of a step: the traffic of device 0's link, and its time.
struct Phase {
  const char* traffic;
  const proto::Samples& (proto::StarTimes::*seconds)() const;
  Direction direction;
};
constexpr Phase kPhases[] = {
    {"images", &proto::StarTimes::scatter_seconds, Direction::kSent},
    {"parameters and buffers", &proto::StarTimes::replicate_seconds, Direction::kSent},
    {"outputs", &proto::StarTimes::gather_seconds, Direction::kReceived},
    {"gradients of the outputs", &proto::StarTimes::output_gradient_seconds, Direction::kSent},
    {"gradients", &proto::StarTimes::reduce_seconds, Direction::kReceived},
};

bool IsStar(const proto::ScaleRecord& record) {
  const proto::ScalePoint& point = record.point();
  return record.has_point() && point.reduction() == proto::STAR && point.ranks() > 1 &&
         point.outcome() == proto::COMPLETED && point.steps_per_epoch() > 0;
}

// Returns the bytes of one step; nullopt if they were not counted.
std::optional<double> CountedBytes(const proto::ScalePoint& point, const Phase& phase) {
  for (const proto::Traffic& traffic : point.traffic()) {
    if (traffic.kind() == phase.traffic && traffic.steps() > 0) {
      return static_cast<double>(traffic.size_bytes()) / static_cast<double>(traffic.steps());
    }
  }
  return std::nullopt;
}

proto::Quantity CountedBytes(const proto::ScalePoint& point, Direction direction) {
  double sum = 0;
  for (const Phase& phase : kPhases) {
    const std::optional<double> bytes = phase.direction == direction ? CountedBytes(point, phase) : 0;
    if (!bytes.has_value()) {
      return Absent(absl::StrCat("the record does not count the bytes of its ", phase.traffic));
    }
    sum += *bytes;
  }
  return Counted(sum, "counted where they are copied, all epochs / their steps");
}

// Returns the seconds of one step, with the extremes of the epochs.
std::optional<Spread> PhaseSeconds(const proto::ScalePoint& point, const Phase& phase) {
  const std::optional<Spread> epoch = SpreadOf((point.star().*phase.seconds)());
  return epoch.has_value() ? std::optional<Spread>((1.0 / point.steps_per_epoch()) * *epoch) : std::nullopt;
}

// Returns the sum of all five phases of one step, epoch by epoch.
std::optional<Spread> BusySeconds(const proto::ScalePoint& point) {
  Spread sum;
  for (const Phase& phase : kPhases) {
    const std::optional<Spread> seconds = PhaseSeconds(point, phase);
    if (!seconds.has_value()) {
      return std::nullopt;
    }
    sum = {sum.mean + seconds->mean, sum.low + seconds->low, sum.high + seconds->high,
           sum.repeated || seconds->repeated};
  }
  return sum;
}

// Fits a link to the phases of all other points, with the least relative errors.
absl::StatusOr<LinkCost> FitLink(const ScaleRecords& scale, const proto::ScalePoint& without) {
  LeastSquaresProblem problem;
  for (const proto::ScaleRecord& record : scale.records) {
    if (!IsStar(record) || &record.point() == &without) {
      continue;
    }
    for (const Phase& phase : kPhases) {
      const std::optional<double> bytes = CountedBytes(record.point(), phase);
      const std::optional<Spread> seconds = PhaseSeconds(record.point(), phase);
      if (bytes.has_value() && seconds.has_value() && seconds->mean > 0 && std::isfinite(seconds->mean)) {
        problem.rows.push_back({record.point().ranks() - 1.0, *bytes});
        problem.values.push_back(seconds->mean);
        problem.weights.push_back(1 / (seconds->mean * seconds->mean));
      }
    }
  }
  const absl::StatusOr<std::vector<double>> fit = FitNonNegative(problem);
  if (!fit.ok()) {
    return fit.status();
  }
  return LinkCost{(*fit)[0], (*fit)[1]};
}

std::string LinkText(const LinkCost& link) {
  return absl::StrFormat("%.3g us a message, %.4g GB/s", link.alpha_seconds * kMicroseconds.scale,
                         kGigabytesPerSecond.scale / link.beta_seconds_per_byte);
}

proto::Quantity ModelledBusy(const ScaleRecords& scale, const proto::CommModelSpec& spec,
                             const proto::ScalePoint& point, const DataParallelStep& step) {
  const absl::StatusOr<LinkCost> fitted = FitLink(scale, point);
  const double nominal = spec.nominal_link_bytes_per_second().value();
  if (!fitted.ok() && nominal <= 0) {
    return Absent(
        "needs a link: other points of DataParallel to fit one to, or --nominal_link_gigabytes_per_second; this is the "
        "only "
        "one");
  }
  const LinkCost link = fitted.ok() ? *fitted : LinkCost{0, 1 / nominal};
  proto::Quantity busy = Derived(
      Exactly(DataParallelStarCost(step, link).busy_seconds),
      absl::StrCat("5 (N-1) alpha + bytes * beta, ",
                   fitted.ok() ? absl::StrCat("fitted to the phases of the record's other points: ", LinkText(link))
                               : "alpha 0 and the nominal link: it is the only point"));
  busy.set_provenance(proto::MODELLED);
  return busy;
}

void FillFormula(const DataParallelStep& step, proto::StarRow& row) {
  const StarCost cost = DataParallelStarCost(step, LinkCost());
  *row.mutable_formula_sent_bytes() =
      Derived(Exactly(cost.sent_bytes),
              "(N-1) parameters + (N-1)/N (images + outputs), 4 bytes each; without batch norm's buffers");
  *row.mutable_formula_received_bytes() = Derived(Exactly(cost.received_bytes), "(N-1) parameters + (N-1)/N outputs");
}

void FillTimes(const proto::ScalePoint& point, proto::StarRow& row) {
  const std::optional<Spread> busy = BusySeconds(point);
  *row.mutable_measured_busy_seconds() = DerivedOr(
      busy, "scatter + replicate + gather + scatter of the outputs' gradients + reduce, of one step, on device 0",
      "the record does not time the phases");
  const std::optional<Spread> step = SpreadOf(point.step_seconds());
  *row.mutable_busy_share() =
      DerivedOr(busy.has_value() && step.has_value() ? Quotient(point.steps_per_epoch() * *busy, *step) : std::nullopt,
                "busy / step", "needs the phases and the step's time");
  const bool counted = row.counted_sent_bytes().has_value() && row.counted_received_bytes().has_value();
  const double bytes = row.counted_sent_bytes().value() + row.counted_received_bytes().value();
  *row.mutable_bytes_per_second() =
      DerivedOr(counted && busy.has_value() ? Quotient(Exactly(bytes), *busy) : std::nullopt, "counted bytes / busy",
                "needs the counted bytes and the phases");
  const bool compared = row.modelled_busy_seconds().has_value() && busy.has_value() && busy->mean > 0;
  *row.mutable_relative_error() =
      compared ? Derived(Exactly(row.modelled_busy_seconds().value() / busy->mean - 1), "modelled / measured - 1")
               : Absent("needs a modelled and a measured time");
}

}  // namespace

DataParallelStep StarStepOf(const proto::ModelFacts& model, const proto::ScalePoint& point) {
  const double images = point.steps_per_epoch() > 0 && point.images_per_epoch() > 0
                            ? static_cast<double>(point.images_per_epoch()) / point.steps_per_epoch()
                            : static_cast<double>(point.batch_per_device()) * point.ranks();
  DataParallelStep step;
  step.ranks = std::max(1u, point.ranks());
  step.parameter_bytes = static_cast<double>(model.gradient_bytes());
  step.input_bytes = images * ImageBytes(model);
  step.output_bytes = images * OutputBytes(model);
  return step;
}

std::vector<proto::StarRow> ExplainStar(const ScaleRecords& scale, const proto::CommModelSpec& spec) {
  std::vector<proto::StarRow> rows;
  const proto::ScaleSpec* const run = FindSpec(scale);
  for (const proto::ScaleRecord& record : scale.records) {
    if (run == nullptr || !IsStar(record)) {
      continue;
    }
    const proto::ScalePoint& point = record.point();
    const DataParallelStep step = StarStepOf(run->model(), point);
    proto::StarRow& row = rows.emplace_back();
    row.set_ranks(point.ranks());
    row.set_batch_per_device(point.batch_per_device());
    *row.mutable_settings() = SettingsOf(*run, proto::ScalePoint());
    FillFormula(step, row);
    *row.mutable_counted_sent_bytes() = CountedBytes(point, Direction::kSent);
    *row.mutable_counted_received_bytes() = CountedBytes(point, Direction::kReceived);
    *row.mutable_modelled_busy_seconds() = ModelledBusy(scale, spec, point, step);
    FillTimes(point, row);
  }
  return rows;
}

}  // namespace lockstep
