#include "lib/lab_records/scaling_view.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/scaling/point_settings.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"
#include "lib/wording/question_commands.h"

namespace lockstep {
namespace {

std::vector<uint32_t> Ascending(const std::set<uint32_t>& values) { return {values.begin(), values.end()}; }

constexpr char kLabsWay[] = "DDP, lab preset";  // the default way, which titles do not mention

// Returns true if the row is about points with these settings. An older row has no settings; it belongs to the record's
// only way to train.
bool IsOf(const proto::ScalingRow& row, const proto::PointSettings& settings, bool only_way) {
  return row.has_settings() ? SameSettings(row.settings(), settings) : only_way;
}

void TakeRows(const LabCommModel& comm_model, bool only_way, ScalingView& view) {
  view.comm_model = &comm_model;
  for (const proto::ScalingRow& row : comm_model.rows) {
    if (IsOf(row, view.settings, only_way)) {
      view.rows.push_back(&row);
    }
  }
  for (const proto::StarRow& star : comm_model.stars) {
    if (SameSettings(star.settings(), view.settings)) {
      view.stars.push_back(&star);
    }
  }
}

// Returns one view for each way to train; for a record without points, one view without points.
std::vector<ScalingView> ViewsOf(const LabScale& scale) {
  std::vector<const proto::ScalePoint*> points;
  for (const proto::ScalePoint& point : scale.points) {
    points.push_back(&point);
  }
  std::vector<SettingsPart> parts = SplitBySettings(scale.spec, points);
  if (parts.empty()) {
    parts.push_back({SettingsOf(scale.spec, proto::ScalePoint()), {}});
  }
  std::vector<ScalingView> views;
  for (const SettingsPart& part : parts) {
    ScalingView& view = views.emplace_back();
    view.scale = &scale;
    view.settings = part.settings;
    view.one_of_several = parts.size() > 1;
    view.points = part.points;
  }
  return views;
}

// Returns the views of a comm_model record whose scale record is missing.
std::vector<ScalingView> ViewsOf(const LabCommModel& comm_model) {
  std::vector<ScalingView> views;
  for (const proto::ScalingRow& row : comm_model.rows) {
    const bool known = std::any_of(views.begin(), views.end(), [&](const ScalingView& view) {
      return IsOf(row, view.settings, view.settings.mode() == proto::SCALE_MODE_UNSPECIFIED);
    });
    if (!known) {
      views.emplace_back().settings = row.settings();
    }
  }
  for (ScalingView& view : views) {
    view.one_of_several = views.size() > 1;
    TakeRows(comm_model, view.settings.mode() == proto::SCALE_MODE_UNSPECIFIED, view);
  }
  return views;
}

}  // namespace

std::vector<uint32_t> ScalingView::Batches() const {
  std::set<uint32_t> batches;
  if (scale != nullptr && !scale->spec.batch_size().empty() && !one_of_several) {
    return {scale->spec.batch_size().begin(), scale->spec.batch_size().end()};
  }
  for (const proto::ScalePoint* point : points) {
    batches.insert(global_batch() ? point->global_batch() : point->batch_per_device());
  }
  for (const proto::ScalingRow* row : rows) {
    if (scale == nullptr || points.empty()) {
      batches.insert(row->batch_per_device());
    }
  }
  return Ascending(batches);
}

std::vector<uint32_t> ScalingView::Ranks() const {
  std::set<uint32_t> ranks;
  if (scale != nullptr && !one_of_several) {
    ranks.insert(scale->spec.ranks().begin(), scale->spec.ranks().end());
  }
  for (const proto::ScalePoint* point : points) {
    ranks.insert(point->ranks());
  }
  for (const proto::ScalingRow* row : rows) {
    if (scale == nullptr) {
      ranks.insert(row->ranks());
    }
  }
  return Ascending(ranks);
}

proto::ScaleSpec ScalingView::Spec() const {
  proto::ScaleSpec spec = scale->spec;
  spec.set_mode(settings.mode());
  spec.set_reducer(settings.reducer());
  if (!points.empty() && points.front()->has_training()) {
    *spec.mutable_training() = points.front()->training();
  }
  return spec;
}

std::string ScalingView::BatchTitle(uint32_t batch) const {
  return global_batch() ? absl::StrCat("global batch ", batch) : absl::StrCat("batch ", batch, " per device");
}

std::string ScalingView::Title() const {
  const std::string way = SettingsText(settings);
  const bool is_named = one_of_several || (way != kLabsWay && settings.mode() != proto::SCALE_MODE_UNSPECIFIED);
  const std::string run = scale == nullptr ? comm_model->name()
                                           : absl::StrCat(scale->spec.training().model(), " on ",
                                                          DescribeDevices(scale->header), " (", scale->name(), ")");
  return absl::StrCat(run, is_named ? ": " : "", is_named ? way : "");
}

const proto::ScalePoint* ScalingView::Point(uint32_t ranks, uint32_t batch, proto::Reduction reduction) const {
  for (const proto::ScalePoint* point : points) {
    if (point->ranks() == ranks && point->reduction() == reduction &&
        (global_batch() ? point->global_batch() : point->batch_per_device()) == batch) {
      return point;
    }
  }
  return nullptr;
}

const proto::ScalingRow* ScalingView::Row(uint32_t ranks, uint32_t batch) const {
  const uint32_t per_device = global_batch() && ranks > 0 ? batch / ranks : batch;
  for (const proto::ScalingRow* row : rows) {
    if (row->ranks() == ranks && row->batch_per_device() == per_device) {
      return row;
    }
  }
  return nullptr;
}

const proto::ScalingRow* ScalingView::PooledRow(uint32_t ranks, uint32_t batch, proto::Reduction reduction) const {
  const proto::Reduction timed = ranks == 1 ? proto::PLAIN : data_parallel() ? proto::STAR : proto::ALL_REDUCE;
  const proto::ScalingRow* const row = Row(ranks, batch);
  return row != nullptr && reduction == timed && row->pooled_file_size() > 0 && row->epoch_seconds().has_value()
             ? row
             : nullptr;
}

std::string ScalingView::RowReason(uint32_t ranks, uint32_t batch) const {
  if (comm_model == nullptr) {
    return absl::StrCat("no comm_model record made from ", scale->name(), " among the inputs; ",
                        RunText({ExplainCommand(scale->input.path())}));
  }
  return absl::StrCat(comm_model->name(), " has no row for ", CountOf(ranks, "device"), ", ", BatchTitle(batch));
}

std::vector<ScalingView> ScalingViews(const LabRecords& lab) {
  std::vector<ScalingView> views;
  std::set<const LabCommModel*> taken;
  for (const LabScale& scale : lab.scales) {
    if (scale.spec.experiment() != proto::EXPERIMENT_UNSPECIFIED) {
      continue;
    }
    for (ScalingView& view : ViewsOf(scale)) {
      for (const LabCommModel& comm_model : lab.comm_models) {
        if (view.comm_model == nullptr && !comm_model.rows.empty() && MadeFrom(comm_model, scale)) {
          TakeRows(comm_model, !view.one_of_several, view);
          taken.insert(&comm_model);
        }
      }
      views.push_back(std::move(view));
    }
  }
  for (const LabCommModel& comm_model : lab.comm_models) {
    if (!comm_model.rows.empty() && taken.count(&comm_model) == 0) {
      for (ScalingView& view : ViewsOf(comm_model)) {
        views.push_back(std::move(view));
      }
    }
  }
  return views;
}

}  // namespace lockstep
