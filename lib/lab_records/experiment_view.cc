#include "lib/lab_records/experiment_view.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/scaling/point_settings.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

constexpr char kLabsWay[] = "DDP, lab preset";

// Returns the settings that all rows of one table share.
proto::PointSettings SettingsOfTable(const LabScale& scale, const proto::ScalePoint& point) {
  proto::PointSettings settings = SettingsOf(scale.spec, point);
  if (scale.spec.experiment() == proto::WHAT_IS_SENT) {
    settings.set_buffers("local");
  }
  return settings;
}

ExperimentView& ViewFor(const LabScale& scale, const proto::ScalePoint& point, bool other_images,
                        std::vector<ExperimentView>& views) {
  const proto::PointSettings settings = SettingsOfTable(scale, point);
  for (ExperimentView& view : views) {
    if (view.scale == &scale && view.ranks == point.ranks() && SameSettings(view.settings, settings)) {
      return view;
    }
  }
  ExperimentView& view = views.emplace_back();
  view.scale = &scale;
  view.settings = settings;
  view.ranks = point.ranks();
  view.other_images = other_images;
  return view;
}

// Returns true if the page has dataset records, and the run was not made from any of them.
bool HasOtherImages(const LabRecords& lab, const LabScale& scale) {
  return !lab.datasets.empty() && scale.header.input_size() > 0 &&
         std::none_of(lab.datasets.begin(), lab.datasets.end(),
                      [&](const LabDataset& images) { return MadeFrom(scale, images); });
}

ExperimentRow& RowFor(const proto::ScalePoint& point, ExperimentView& view) {
  for (ExperimentRow& row : view.rows) {
    if (row.name == point.row()) {
      return row;
    }
  }
  ExperimentRow& row = view.rows.emplace_back();
  row.name = point.row();
  row.seeds_asked = view.scale->spec.seeds();
  return row;
}

std::string Shown(const proto::Samples& values) {
  const auto [low, high] = std::minmax_element(values.value().begin(), values.value().end());
  const double mean = MeanOf(values);
  if (*low != *high) {
    return FormatInterval(mean, *low, *high);
  }
  return std::floor(mean) == mean ? FormatNumber(mean, 1) : FormatNumber(mean);  // 1: an integer count
}

std::string ShownPercents(const proto::Samples& values) {
  const auto [low, high] = std::minmax_element(values.value().begin(), values.value().end());
  const std::string mean = FormatPercent(MeanOf(values));
  return *low == *high ? mean : absl::StrCat(mean, " [", FormatPercent(*low), ", ", FormatPercent(*high), "]");
}

proto::Cell MeanCell(const std::string& text) {
  proto::Cell cell = LabelCell(text);
  cell.set_provenance(proto::MEASURED);
  cell.set_method(
      "mean over the row's seeds, with [minimum, maximum] unless the values are equal or there is one seed");
  return cell;
}

std::string NotKnown(const proto::Samples& values) { return absl::StrCat("not known (", values.absent_reason(), ")"); }

}  // namespace

proto::Samples ExperimentRow::Values(const Pick& pick) const {
  proto::Samples values;
  for (const proto::ScalePoint* point : trained) {
    if (const std::optional<double> value = pick(*point)) {
      values.add_value(*value);
    }
  }
  if (values.value().empty()) {
    const proto::ScalePoint& point = *planned.front();
    values.set_absent_reason(!trained.empty() ? "not in the record; test accuracies need runs without --noevaluate"
                                              : absl::StrCat("not trained: ", DescribeOutcome(point.outcome()),
                                                             point.detail().empty() ? "" : " (", point.detail(),
                                                             point.detail().empty() ? "" : ")"));
  }
  return values;
}

std::string ExperimentRow::SeedsText() const {
  const size_t count = trained.size();
  const std::string of = count < seeds_asked ? absl::StrCat(" of ", seeds_asked) : "";
  return absl::StrCat(count, of, count == 1 ? ": one seed, no spread" : "");
}

std::string ExperimentView::Title() const {
  const std::string way = SettingsText(settings);
  return absl::StrCat(scale->spec.training().model(), " on ", CountOf(ranks, "rank"), " of ",
                      DescribeDevices(scale->header), " (", scale->name(), ")", way == kLabsWay ? "" : ": ",
                      way == kLabsWay ? "" : way, OtherImagesText());
}

std::string ExperimentView::OtherImagesText() const {
  const proto::ModelFacts& model = scale->spec.model();
  return other_images
             ? absl::StrCat(", on other images than the rest of the page: ", FormatCount(model.training_images()),
                            " for training, ", FormatCount(model.test_images()), " for tests")
             : "";
}

std::string ExperimentView::EpochName() const {
  bool short_runs = false, long_runs = false;
  for (const ExperimentRow& row : rows) {
    for (const proto::ScalePoint* point : row.trained) {
      (point->epoch_size() < kLabEpoch ? short_runs : long_runs) = true;
    }
  }
  return !short_runs ? absl::StrCat("epoch ", kLabEpoch)
         : long_runs ? absl::StrCat("epoch ", kLabEpoch, ", or the last")
                     : "the last epoch";
}

std::string ExperimentView::Source(absl::string_view field) const {
  return absl::StrCat("scale.point[ranks=", ranks, "].", field);
}

std::vector<ExperimentView> ExperimentViews(const LabRecords& lab, proto::Experiment experiment) {
  std::vector<ExperimentView> views;
  for (const LabScale& scale : lab.scales) {
    if (scale.spec.experiment() != experiment) {
      continue;
    }
    const bool other_images = HasOtherImages(lab, scale);
    for (const proto::ScalePoint& point : scale.points) {
      ExperimentRow& row = RowFor(point, ViewFor(scale, point, other_images, views));
      row.planned.push_back(&point);
      if (point.outcome() == proto::COMPLETED && point.epoch_size() > 0) {
        row.trained.push_back(&point);
      }
    }
  }
  return views;
}

std::string ExperimentName(proto::Experiment experiment) {
  return absl::AsciiStrToLower(proto::Experiment_Name(experiment));
}

const proto::EpochResult* LabEpochOf(const proto::ScalePoint& point) {
  return point.epoch().empty() ? nullptr : &point.epoch(std::min(kLabEpoch, point.epoch_size()) - 1);
}

std::optional<double> LabLoss(const proto::ScalePoint& point) {
  const proto::EpochResult* const epoch = LabEpochOf(point);
  return epoch == nullptr ? std::nullopt : std::optional<double>(epoch->mean_loss());
}

std::optional<double> LabTrainAccuracy(const proto::ScalePoint& point) {
  const proto::EpochResult* const epoch = LabEpochOf(point);
  return epoch == nullptr ? std::nullopt : std::optional<double>(epoch->train_accuracy());
}

std::optional<double> TestAccuracy(const proto::ScalePoint& point) {
  if (point.epoch().empty() || !point.epoch(point.epoch_size() - 1).has_test_accuracy()) {
    return std::nullopt;
  }
  return point.epoch(point.epoch_size() - 1).test_accuracy();
}

std::optional<double> ValidationAccuracy(const proto::ScalePoint& point) {
  if (point.epoch().empty() || !point.epoch(point.epoch_size() - 1).has_validation_accuracy()) {
    return std::nullopt;
  }
  return point.epoch(point.epoch_size() - 1).validation_accuracy();
}

std::optional<double> TrainingSeconds(const proto::ScalePoint& point) {
  double seconds = 0;
  for (const proto::EpochResult& epoch : point.epoch()) {
    seconds += epoch.train_seconds();
  }
  return seconds > 0 ? std::optional<double>(seconds) : std::nullopt;
}

uint64_t Updates(const proto::ScalePoint& point) {
  return uint64_t{point.steps_per_epoch()} * static_cast<uint64_t>(point.epoch_size());
}

proto::Cell SeedsCell(const proto::Samples& values) {
  return values.value().empty() ? AbsentCell(values.absent_reason()) : MeanCell(Shown(values));
}

proto::Cell SeedsPercentCell(const proto::Samples& values) {
  return values.value().empty() ? AbsentCell(values.absent_reason()) : MeanCell(ShownPercents(values));
}

std::string FormatSamples(const proto::Samples& values) {
  return values.value().empty() ? NotKnown(values) : Shown(values);
}

std::string FormatPercents(const proto::Samples& values) {
  return values.value().empty() ? NotKnown(values) : absl::StrCat(ShownPercents(values), " %");
}

double MeanOf(const proto::Samples& values) { return MeanAndDeviationOf(values).mean; }

}  // namespace lockstep
