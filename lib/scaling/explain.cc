#include "lib/scaling/explain.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/scaling/point_run.h"
#include "lib/scaling/point_settings.h"
#include "lib/scaling/pool_point.h"
#include "lib/scaling/scaling_row.h"
#include "lib/statistics/quantity.h"

namespace lockstep {
namespace {

const proto::ScalePoint* FindPoint(const ScaleRecords& scale, uint32_t ranks, uint32_t batch,
                                   proto::Reduction reduction) {
  for (const proto::ScaleRecord& record : scale.records) {
    const proto::ScalePoint& point = record.point();
    if (record.has_point() && point.ranks() == ranks && point.batch_per_device() == batch &&
        point.reduction() == reduction) {
      return &point;
    }
  }
  return nullptr;
}

// Returns the point of one device that is trained like several devices: with the reducer, or by DataParallel.
const proto::ScalePoint* FindReduced(const ScaleRecords& scale, uint32_t batch) {
  const proto::ScalePoint* const reduced = FindPoint(scale, 1, batch, proto::ALL_REDUCE);
  return reduced != nullptr ? reduced : FindPoint(scale, 1, batch, proto::STAR);
}

std::vector<const proto::ScalePoint*> PointsOf(const ScaleRecords& scale) {
  std::vector<const proto::ScalePoint*> points;
  for (const proto::ScaleRecord& record : scale.records) {
    if (record.has_point()) {
      points.push_back(&record.point());
    }
  }
  return points;
}

// Returns the row of a point without times: every field has the reason.
proto::ScalingRow FailedRow(proto::ScalingRow row, const std::string& reason) {
  const google::protobuf::Reflection* reflection = row.GetReflection();
  for (int i = 0; i < row.GetDescriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = row.GetDescriptor()->field(i);
    if (field->message_type() == proto::Quantity::descriptor()) {
      reflection->MutableMessage(&row, field)->CopyFrom(Absent(reason));
    }
  }
  return row;
}

// Returns "mean over timed epochs", with the files of a point that was joined from several (join_records.h).
std::string MeanOf(const proto::ScalePoint& point) {
  const std::string files = PooledFiles(point);
  return absl::StrCat("mean over timed epochs", files.empty() ? "" : absl::StrCat(" of ", files));
}

proto::ScalingRow MakeRow(const RowInputs& in) {
  proto::ScalingRow row;
  row.set_ranks(in.point.ranks());
  row.set_batch_per_device(in.point.batch_per_device());
  *row.mutable_settings() = SettingsOf(in.run, proto::ScalePoint());
  *row.mutable_pooled_file() = in.point.pooled_file();
  const std::optional<Spread> epoch = SpreadOf(in.point.epoch_seconds());
  const std::optional<Spread> step = SpreadOf(in.point.step_seconds());
  if (in.point.outcome() != proto::COMPLETED || !epoch.has_value() || !step.has_value()) {
    return FailedRow(row, absl::StrCat("the run ended as ", proto::Outcome_Name(in.point.outcome()),
                                       in.point.detail().empty() ? "" : ": ", in.point.detail()));
  }
  const std::string mean = MeanOf(in.point);
  *row.mutable_epoch_seconds() = Measured(*epoch, absl::StrCat(mean, ", data loading included, slowest rank"));
  *row.mutable_step_seconds() = Measured(*step, absl::StrCat(mean, ", without waiting for data, slowest rank"));
  *row.mutable_steps_per_epoch() = Counted(in.point.steps_per_epoch(), "counted, of each rank");
  FillSpeedups(in, *epoch, *step, row);
  if (row.ranks() == 1) {
    FillBaseCase(in, *step, row);
    return row;
  }
  *row.mutable_reducer_seconds() = Absent("of the base case only");
  FillExposed(in, *step, row);
  FillBandwidth(in, FillSplit(in, *step, row), row);
  FillLink(in, row);
  return row;
}

}  // namespace

absl::StatusOr<proto::CommModelSpec> MakeCommModelSpec(const ScaleRecords& scale,
                                                       double nominal_link_bytes_per_second) {
  const proto::ScaleSpec* run = FindSpec(scale);
  if (run == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        scale.input.path(), ": expected a scale record with a ScaleSpec, found none; make the record again"));
  }
  proto::CommModelSpec spec;
  spec.set_gradient_bytes(run->model().gradient_bytes());
  spec.set_parameter_count(run->model().parameter_count());
  spec.set_training_images(run->model().training_images());
  if (nominal_link_bytes_per_second > 0) {
    spec.mutable_nominal_link_bytes_per_second()->set_value(nominal_link_bytes_per_second);
    spec.mutable_nominal_link_bytes_per_second()->set_provenance(proto::PUBLISHED);
    spec.mutable_nominal_link_bytes_per_second()->set_method(
        "as given by --nominal_link_gigabytes_per_second, GB = 1e9");
  } else {
    *spec.mutable_nominal_link_bytes_per_second() = Absent("--nominal_link_gigabytes_per_second was not given");
  }
  return spec;
}

absl::StatusOr<std::vector<proto::ScalingRow>> ExplainScaling(const ScaleRecords& scale, const SweepRecords* sweep,
                                                              const proto::CommModelSpec& spec) {
  const proto::ScaleSpec* run = FindSpec(scale);
  if (run == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(scale.input.path(), ": no ScaleSpec"));
  }
  const BaseCases bases(scale, sweep);
  const std::vector<const proto::ScalePoint*> points = PointsOf(scale);
  std::vector<proto::ScalingRow> rows;
  for (const proto::ScaleRecord& record : scale.records) {
    const proto::ScalePoint& point = record.point();
    const bool is_star = point.reduction() == proto::STAR && point.ranks() > 1;
    if (!record.has_point() || !(IsTimedPoint(point) || is_star)) {
      continue;
    }
    const uint32_t n = point.ranks(), b = point.batch_per_device();
    if (n == 0 || b == 0 || uint64_t{n} * b > std::numeric_limits<uint32_t>::max()) {
      return absl::DataLossError(absl::StrCat(scale.input.path(), ": a point of ", n, " ranks at batch ", b,
                                              " per device was found; expected both to be at least 1 and their product "
                                              "below 2^32; make the record again with scale_run"));
    }
    rows.push_back(
        MakeRow({*run, spec, bases, point, FindPoint(scale, n, b, proto::ABLATED),
                 n == 1 ? FindReduced(scale, b) : nullptr, PoolProbes(points, n), RunStartOf(scale.header, point)}));
  }
  if (rows.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(scale.input.path(), ": expected a scale record with points, found none"));
  }
  return rows;
}

}  // namespace lockstep
