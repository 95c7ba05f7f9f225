#include "lib/scaling/scale_parts.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/scaling/point_settings.h"

namespace lockstep {
namespace {

bool IsPlain(const proto::ScalePoint* point) { return point->reduction() == proto::PLAIN && point->ranks() == 1; }

bool HasPlain(const std::vector<const proto::ScalePoint*>& points, uint32_t batch) {
  return std::any_of(points.begin(), points.end(), [batch](const proto::ScalePoint* point) {
    return IsPlain(point) && point->batch_per_device() == batch;
  });
}

// Returns the record's spec with the settings of this part.
proto::ScaleSpec SpecOf(const proto::ScaleSpec& spec, const SettingsPart& part) {
  const proto::PointSettings& settings = part.settings;
  proto::ScaleSpec of_part = spec;
  if (part.points.front()->has_training()) {
    *of_part.mutable_training() = part.points.front()->training();
  }
  of_part.mutable_training()->set_step(settings.step());
  of_part.set_mode(settings.mode());
  of_part.set_preset(settings.preset());
  of_part.set_gradient_compression(settings.gradient_compression());
  of_part.set_buffers(settings.buffers());
  of_part.set_reducer(settings.reducer());
  of_part.set_bucket_plan(settings.bucket_plan());
  return of_part;
}

// Returns plain points of other parts, for batches at which `part` has none.
std::vector<const proto::ScalePoint*> BorrowedBases(const SettingsPart& part, const std::vector<SettingsPart>& parts) {
  std::vector<const proto::ScalePoint*> borrowed;
  for (const SettingsPart& other : parts) {
    for (const proto::ScalePoint* point : other.points) {
      if (SameStep(part.settings, other.settings) && IsPlain(point) &&
          !HasPlain(part.points, point->batch_per_device()) && !HasPlain(borrowed, point->batch_per_device())) {
        borrowed.push_back(point);
      }
    }
  }
  return borrowed;
}

}  // namespace

absl::StatusOr<std::vector<ScaleRecords>> SplitScaleRecords(const ScaleRecords& scale) {
  const proto::ScaleSpec* const spec = FindSpec(scale);
  if (spec == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        scale.input.path(), ": expected a scale record with a ScaleSpec, found none; make the record again"));
  }
  std::vector<const proto::ScalePoint*> points;
  for (const proto::ScaleRecord& record : scale.records) {
    if (record.has_point()) {
      points.push_back(&record.point());
    }
  }
  const std::vector<SettingsPart> parts = SplitBySettings(*spec, points);
  if (parts.empty()) {
    return std::vector<ScaleRecords>{scale};
  }
  std::vector<ScaleRecords> records;
  for (const SettingsPart& part : parts) {
    ScaleRecords& of_part = records.emplace_back();
    of_part.header = scale.header;
    of_part.input = scale.input;
    if (parts.size() > 1) {
      of_part.input.set_path(absl::StrCat(scale.input.path(), " (", SettingsText(part.settings), ")"));
    }
    *of_part.records.emplace_back().mutable_spec() = SpecOf(*spec, part);
    for (const auto& group : {BorrowedBases(part, parts), part.points}) {
      for (const proto::ScalePoint* point : group) {
        *of_part.records.emplace_back().mutable_point() = *point;
      }
    }
  }
  return records;
}

}  // namespace lockstep
