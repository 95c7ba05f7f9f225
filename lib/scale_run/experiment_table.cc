#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/scale_run/experiments.h"
#include "lib/statistics/spread.h"

namespace lockstep {
namespace {

// Formats one number of a row: the mean over its points, with the range if there are several.
template <typename Pick>
std::string Cell(const std::vector<const proto::ScalePoint*>& seeds, const char* format, const Pick& pick) {
  proto::Samples samples;
  for (const proto::ScalePoint* point : seeds) {
    samples.add_value(pick(*point));
  }
  const Spread spread = *SpreadOf(samples);
  const auto show = [&](double value) { return absl::StrFormat(*absl::ParsedFormat<'f'>::New(format), value); };
  return spread.repeated ? absl::StrCat(show(spread.mean), " (", show(spread.low), " to ", show(spread.high), ")")
                         : show(spread.mean);
}

// Returns the epoch whose loss the lab asks for.
const proto::EpochResult& LabEpoch(const proto::ScalePoint& point) {
  return point.epoch(std::min<int>(kLabEpochs, point.epoch_size()) - 1);
}

double TrainSeconds(const proto::ScalePoint& point) {
  double seconds = 0;
  for (const proto::EpochResult& epoch : point.epoch()) {
    seconds += epoch.train_seconds();
  }
  return seconds;
}

double BytesPerStep(const proto::ScalePoint& point, const std::string& kind) {
  for (const proto::Traffic& traffic : point.traffic()) {
    if (traffic.kind() == kind && traffic.steps() != 0) {
      return static_cast<double>(traffic.size_bytes()) / static_cast<double>(traffic.steps());
    }
  }
  return 0;
}

// Returns whether the last epoch of each point has the number that `has` asks for.
bool AllHave(const std::vector<const proto::ScalePoint*>& seeds, bool (proto::EpochResult::*has)() const) {
  return std::all_of(seeds.begin(), seeds.end(),
                     [has](const proto::ScalePoint* point) { return (point->epoch(point->epoch_size() - 1).*has)(); });
}

std::string TestAccuracy(const std::vector<const proto::ScalePoint*>& seeds) {
  return !AllHave(seeds, &proto::EpochResult::has_test_accuracy)
             ? "not evaluated"
             : Cell(seeds, "%.2f", [](const proto::ScalePoint& point) {
                 return 100 * point.epoch(point.epoch_size() - 1).test_accuracy();
               });
}

// Returns "; validation 41.20 (40.10 to 42.30) %", or "" if no images were held out.
std::string ValidationAccuracy(const std::vector<const proto::ScalePoint*>& seeds) {
  return !AllHave(seeds, &proto::EpochResult::has_validation_accuracy)
             ? ""
             : absl::StrCat("; validation ",
                            Cell(seeds, "%.2f",
                                 [](const proto::ScalePoint& point) {
                                   return 100 * point.epoch(point.epoch_size() - 1).validation_accuracy();
                                 }),
                            " %");
}

// Returns the columns of this experiment in addition to loss and accuracy.
std::string OwnColumns(const proto::ScaleSpec& spec, const std::vector<const proto::ScalePoint*>& seeds) {
  const proto::ScalePoint& point = *seeds.front();
  if (spec.experiment() == proto::SAMPLER_EPOCH) {
    const auto& orders = point.rank(0).epoch_order_sha256();
    return absl::StrFormat(
        "; orders of %d epochs: %d; images seen by rank 0: %d; batches of the previous epoch: %.0f %%", orders.size(),
        std::set<std::string>(orders.begin(), orders.end()).size(), point.rank(0).distinct_images_ever(),
        100 * point.rank(0).repeated_batch_share());
  }
  if (spec.experiment() == proto::WHAT_IS_SENT) {
    return absl::StrFormat("; bytes per step: gradients %.0f, buffers %.0f, batch norm's sums %.0f",
                           BytesPerStep(point, "gradients"), BytesPerStep(point, "batch-norm buffers"),
                           BytesPerStep(point, "batch-norm sums"));
  }
  return "";
}

std::string RowText(const proto::ScaleSpec& spec, const std::vector<const proto::ScalePoint*>& seeds) {
  const proto::ScalePoint& point = *seeds.front();
  std::string text = absl::StrFormat("  %s: %d epochs, %d updates", point.row(), point.epoch_size(),
                                     uint64_t{point.steps_per_epoch()} * point.epoch_size());
  absl::StrAppend(&text, "; epoch ", std::min<int>(kLabEpochs, point.epoch_size()), ": loss ",
                  Cell(seeds, "%.4f", [](const proto::ScalePoint& p) { return LabEpoch(p).mean_loss(); }), ", train ",
                  Cell(seeds, "%.2f", [](const proto::ScalePoint& p) { return 100 * LabEpoch(p).train_accuracy(); }),
                  " %; test ", TestAccuracy(seeds), " %", ValidationAccuracy(seeds), "; ",
                  Cell(seeds, "%.2f", TrainSeconds), " s", OwnColumns(spec, seeds));
  return absl::StrCat(
      text, seeds.size() < spec.seeds() ? absl::StrFormat(" [%d of %d seeds]", seeds.size(), spec.seeds()) : "", "\n");
}

}  // namespace

std::string ExperimentTable(const proto::ScaleSpec& spec, const std::vector<proto::ScalePoint>& points) {
  std::string text =
      absl::StrCat(absl::AsciiStrToLower(proto::Experiment_Name(spec.experiment())), " on ", spec.ranks(0),
                   spec.ranks(0) == 1 ? " rank" : " ranks", ", mean (min to max) of the points of each row:\n");
  std::vector<std::string> rows;
  for (const proto::ScalePoint& point : points) {
    if (std::find(rows.begin(), rows.end(), point.row()) == rows.end()) {
      rows.push_back(point.row());
    }
  }
  for (const std::string& row : rows) {
    std::vector<const proto::ScalePoint*> seeds;
    for (const proto::ScalePoint& point : points) {
      if (point.row() == row && point.epoch_size() > 0) {
        seeds.push_back(&point);
      }
    }
    absl::StrAppend(&text, seeds.empty() ? absl::StrCat("  ", row, ": not trained\n") : RowText(spec, seeds));
  }
  return text;
}

}  // namespace lockstep
