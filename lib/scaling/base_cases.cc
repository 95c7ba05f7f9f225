#include "lib/scaling/base_cases.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/scaling/point_run.h"
#include "lib/scaling/pool_point.h"
#include "lib/scaling/run_conditions.h"

namespace lockstep {
namespace {

bool SameHost(const proto::Host& a, const proto::Host& b) {
  return a.name_sha256() == b.name_sha256() && a.cpu_model() == b.cpu_model();
}

// Compares the names only, which two hosts may share.
bool HostNamesDiffer(const proto::Host& a, const proto::Host& b) {
  return !a.name_sha256().empty() && !b.name_sha256().empty() && a.name_sha256() != b.name_sha256();
}

constexpr char kNoCommit[] = "unknown";  // commit of a build outside a checkout (header.proto)

bool AreOfTwoCommits(const proto::Header& a, const proto::Header& b) {
  const std::string &first = a.build().git_commit(), &second = b.build().git_commit();
  const bool are_known = !first.empty() && !second.empty() && first != kNoCommit && second != kNoCommit;
  return are_known && first != second;
}

// Beginnings of BaseCase::origin.
constexpr char kScale[] = "scale record", kSweep[] = "sweep record";

template <typename Point>
std::optional<BaseCase> ToBaseCase(const Point& point, const std::string& run_start, const std::string& origin) {
  const std::optional<Spread> epoch = SpreadOf(point.epoch_seconds());
  const std::optional<Spread> step = SpreadOf(point.step_seconds());
  if (point.outcome() != proto::COMPLETED || !epoch.has_value() || !step.has_value()) {
    return std::nullopt;
  }
  return BaseCase{*epoch,
                  *step,
                  {point.epoch_seconds().value().begin(), point.epoch_seconds().value().end()},
                  point.steps_per_epoch(),
                  point.images_per_epoch(),
                  run_start,
                  origin};
}

// Returns "scale record"; for a point of several joined records "scale records two.rec and four.rec" (join_records.h).
std::string OriginOf(const proto::ScalePoint& point) {
  const std::string files = PooledFiles(point);
  return files.empty() ? kScale : absl::StrCat(kScale, "s ", files);
}

template <typename Point>
std::string WhyNot(const Point& point, const char* origin) {
  return absl::StrCat("the ", origin, "'s point ended as ", proto::Outcome_Name(point.outcome()),
                      point.detail().empty() ? "" : ": ", point.detail());
}

}  // namespace

bool IsTimedPoint(const proto::ScalePoint& point) {
  return point.reduction() == (point.ranks() == 1 ? proto::PLAIN : proto::ALL_REDUCE);
}

const proto::ScaleSpec* FindSpec(const ScaleRecords& scale) {
  for (const proto::ScaleRecord& record : scale.records) {
    if (record.has_spec()) {
      return &record.spec();
    }
  }
  return nullptr;
}

const proto::SweepSpec* FindSpec(const SweepRecords& sweep) {
  for (const proto::SweepRecord& record : sweep.records) {
    if (record.has_spec()) {
      return &record.spec();
    }
  }
  return nullptr;
}

BaseCaseSource SourceOfBaseCase(const proto::Quantity& quantity) {
  const auto names = [&](absl::string_view origin) {
    return absl::StrContains(quantity.method(), absl::StrCat("(", origin));  // WithBase (scaling_row.h)
  };
  return !quantity.has_value()                                ? BaseCaseSource::kNone
         : names(absl::StrCat(kSweep, ", ", kMachineUnknown)) ? BaseCaseSource::kSweepOfUnknownMachine
         : names(kSweep)                                      ? BaseCaseSource::kSweepRecord
         : names(kScale)                                      ? BaseCaseSource::kScaleRecord
                                                              : BaseCaseSource::kNone;
}

bool IsOfSweep(const proto::Quantity& quantity) {
  const BaseCaseSource source = SourceOfBaseCase(quantity);
  return source == BaseCaseSource::kSweepRecord || source == BaseCaseSource::kSweepOfUnknownMachine;
}

bool IsOfUnknownMachine(const proto::Quantity& quantity) {
  return SourceOfBaseCase(quantity) == BaseCaseSource::kSweepOfUnknownMachine;
}

SameMachine CompareMachines(const proto::Header& expected, const proto::Header& found, proto::DeviceKind device) {
  if (device == proto::CPU) {
    const bool known = !expected.host().name_sha256().empty() && !found.host().name_sha256().empty();
    return !known                                    ? SameMachine::kUnknown
           : SameHost(expected.host(), found.host()) ? SameMachine::kYes
                                                     : SameMachine::kNo;
  }
  const std::string uuid = found.device_size() > 0 ? found.device(0).uuid_sha256() : "";
  bool all_known = !uuid.empty() && expected.device_size() > 0;
  for (const proto::Device& other : expected.device()) {
    if (!uuid.empty() && other.uuid_sha256() == uuid) {
      return SameMachine::kYes;
    }
    all_known = all_known && !other.uuid_sha256().empty();
  }
  return all_known || HostNamesDiffer(expected.host(), found.host()) ? SameMachine::kNo : SameMachine::kUnknown;
}

std::string WhySweepDiffers(const ScaleRecords& scale, const SweepRecords& sweep) {
  const proto::ScaleSpec* scale_spec = FindSpec(scale);
  const proto::SweepSpec* sweep_spec = FindSpec(sweep);
  if (scale_spec == nullptr || sweep_spec == nullptr) {
    return "one of the two records has no spec";
  }
  const std::string difference = WhyConditionsDiffer({&scale.header, &scale_spec->model(), &scale_spec->training()},
                                                     {&sweep.header, &sweep_spec->model(), &sweep_spec->training()});
  const proto::DeviceKind device = scale_spec->training().device();
  if (difference.empty() && CompareMachines(scale.header, sweep.header, device) == SameMachine::kNo) {
    return device == proto::CPU ? "it was measured on another host; run train_sweep where scale_run ran"
                                : "it was measured on a GPU that the scaling run did not use, by their UUIDs; run "
                                  "train_sweep on one of the run's GPUs";
  }
  return difference;
}

BaseCases::BaseCases(const ScaleRecords& scale, const SweepRecords* sweep) {
  for (const proto::ScaleRecord& record : scale.records) {
    const proto::ScalePoint& point = record.point();
    if (!record.has_point() || point.ranks() != 1 || point.reduction() != proto::PLAIN) {
      continue;
    }
    if (const std::optional<BaseCase> base = ToBaseCase(point, RunStartOf(scale.header, point), OriginOf(point))) {
      by_batch_[point.batch_per_device()] = *base;
    } else {
      why_not_[point.batch_per_device()] = WhyNot(point, "scale record");
    }
  }
  if (sweep == nullptr) {
    sweep_note_ = "no sweep record was given";
    return;
  }
  if (const std::string difference = WhySweepDiffers(scale, *sweep); !difference.empty()) {
    sweep_note_ = absl::StrCat("the sweep record is not comparable: ", difference);
    return;
  }
  sweep_note_ = "nor is it in the sweep record";
  const bool is_known =
      CompareMachines(scale.header, sweep->header, FindSpec(scale)->training().device()) == SameMachine::kYes;
  const std::string run_start = AreOfTwoCommits(scale.header, sweep->header) ? sweep->header.start_time() : "";
  const std::string origin = is_known ? kSweep : absl::StrCat(kSweep, ", ", kMachineUnknown);
  for (const proto::SweepRecord& record : sweep->records) {
    const proto::SweepPoint& point = record.point();
    if (!record.has_point()) {
      continue;
    }
    if (const std::optional<BaseCase> base = ToBaseCase(point, run_start, origin)) {
      by_batch_.emplace(point.batch_size(), *base);
    } else {
      why_not_.emplace(point.batch_size(), WhyNot(point, kSweep));
    }
  }
}

absl::StatusOr<BaseCase> BaseCases::At(uint32_t batch) const {
  if (const auto base = by_batch_.find(batch); base != by_batch_.end()) {
    return base->second;
  }
  if (const auto reason = why_not_.find(batch); reason != why_not_.end()) {
    return absl::NotFoundError(reason->second);
  }
  return absl::NotFoundError(
      absl::StrCat("the scale record has no plain point of 1 device at batch ", batch, ", and ", sweep_note_));
}

}  // namespace lockstep
