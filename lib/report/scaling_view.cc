#include "lib/report/scaling_view.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "lib/report/describe.h"

namespace lockstep {
namespace {

bool MadeFrom(const LabCommModel& comm_model, const LabScale& scale) {
  const auto& inputs = comm_model.header.input();
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const proto::Input& input) { return input.sha256() == scale.input.sha256(); });
}

std::vector<uint32_t> Ascending(const std::set<uint32_t>& values) { return {values.begin(), values.end()}; }

}  // namespace

std::vector<uint32_t> ScalingView::Batches() const {
  if (scale != nullptr && !scale->spec.batch_size().empty()) {
    return {scale->spec.batch_size().begin(), scale->spec.batch_size().end()};
  }
  std::set<uint32_t> batches;
  if (comm_model != nullptr) {
    for (const proto::ScalingRow& row : comm_model->rows) {
      batches.insert(row.batch_per_device());
    }
  }
  return Ascending(batches);
}

std::vector<uint32_t> ScalingView::Ranks() const {
  std::set<uint32_t> ranks;
  if (scale != nullptr) {
    ranks.insert(scale->spec.ranks().begin(), scale->spec.ranks().end());
    for (const proto::ScalePoint& point : scale->points) {
      ranks.insert(point.ranks());
    }
  } else {
    for (const proto::ScalingRow& row : comm_model->rows) {
      ranks.insert(row.ranks());
    }
  }
  return Ascending(ranks);
}

std::string ScalingView::BatchTitle(uint32_t batch) const {
  return global_batch() ? absl::StrCat("global batch ", batch) : absl::StrCat("batch ", batch, " per device");
}

std::string ScalingView::Title() const {
  if (scale == nullptr) {
    return comm_model->name();
  }
  return absl::StrCat(scale->spec.training().model(), " on ", DescribeDevices(scale->header), " (", scale->name(), ")");
}

const proto::ScalePoint* ScalingView::Point(uint32_t ranks, uint32_t batch, proto::Reduction reduction) const {
  if (scale == nullptr) {
    return nullptr;
  }
  for (const proto::ScalePoint& point : scale->points) {
    if (point.ranks() == ranks && point.reduction() == reduction &&
        (global_batch() ? point.global_batch() : point.batch_per_device()) == batch) {
      return &point;
    }
  }
  return nullptr;
}

const proto::ScalingRow* ScalingView::Row(uint32_t ranks, uint32_t batch) const {
  if (comm_model == nullptr) {
    return nullptr;
  }
  const uint32_t per_device = global_batch() ? batch / ranks : batch;
  for (const proto::ScalingRow& row : comm_model->rows) {
    if (row.ranks() == ranks && row.batch_per_device() == per_device) {
      return &row;
    }
  }
  return nullptr;
}

std::string ScalingView::RowReason(uint32_t ranks, uint32_t batch) const {
  if (comm_model == nullptr) {
    return absl::StrCat("no comm_model record made from ", scale->name(),
                        " among the inputs: comm_model --input=", scale->input.path());
  }
  return absl::StrCat(comm_model->name(), " has no row for ", ranks, ranks == 1 ? " device, " : " devices, ",
                      BatchTitle(batch));
}

std::vector<ScalingView> ScalingViews(const LabRecords& lab) {
  std::vector<ScalingView> views;
  std::set<const LabCommModel*> taken;
  for (const LabScale& scale : lab.scales) {
    ScalingView view;
    view.scale = &scale;
    for (const LabCommModel& comm_model : lab.comm_models) {
      if (view.comm_model == nullptr && !comm_model.rows.empty() && MadeFrom(comm_model, scale)) {
        view.comm_model = &comm_model;
        taken.insert(&comm_model);
      }
    }
    views.push_back(view);
  }
  for (const LabCommModel& comm_model : lab.comm_models) {
    if (!comm_model.rows.empty() && taken.count(&comm_model) == 0) {
      ScalingView view;
      view.comm_model = &comm_model;
      views.push_back(view);
    }
  }
  return views;
}

}  // namespace lockstep
