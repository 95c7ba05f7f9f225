#include "lib/scaling/join_records.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/scaling/point_name.h"
#include "lib/scaling/point_run.h"
#include "lib/scaling/point_settings.h"
#include "lib/scaling/pool_point.h"
#include "lib/scaling/run_conditions.h"

namespace lockstep {
namespace {

std::string Instead(const char* name, const std::string& found, const std::string& expected) {
  return found == expected ? "" : absl::StrCat(name, " {", found, "} instead of {", expected, "}");
}

// Returns the settings of a spec that its points do not hold.
std::string CommunicationText(const proto::ScaleSpec& spec) {
  return absl::StrJoin(CommunicationSettings(spec), " ",
                       [](std::string* out, const RunSetting& setting) { absl::StrAppend(out, setting.words); });
}

// Returns the way that works for records that cannot be joined.
std::string Remedy(const std::string& first, const std::string& other) {
  return absl::StrCat("; explain each record by itself, and report all of them on one page: comm_model --input=", first,
                      " --output=first_model.rec && comm_model --input=", other, " --output=other_model.rec && report ",
                      first, " first_model.rec ", other, " other_model.rec");
}

// Returns the difference for which the times of both records cannot be explained together; empty: there is none.
std::string WhyNotJoined(const ScaleRecords& first, const ScaleRecords& other) {
  const proto::ScaleSpec* const expected = FindSpec(first);
  const proto::ScaleSpec* const found = FindSpec(other);
  if (expected == nullptr || found == nullptr) {
    return "one of them has no ScaleSpec";
  }
  if (CompareMachines(first.header, other.header, expected->training().device()) == SameMachine::kNo &&
      CompareMachines(other.header, first.header, expected->training().device()) == SameMachine::kNo) {
    return "different machines, whose times give no speed-up";
  }
  const std::string conditions = WhyConditionsDiffer({&first.header, &expected->model(), &expected->training()},
                                                     {&other.header, &found->model(), &found->training()});
  const std::string libraries =
      Instead("libraries", other.header.libraries().ShortDebugString(), first.header.libraries().ShortDebugString());
  return !conditions.empty()  ? conditions
         : !libraries.empty() ? libraries
                              : Instead("communication", CommunicationText(*found), CommunicationText(*expected));
}

bool IsSamePoint(const proto::ScaleSpec& spec, const proto::ScalePoint& a, const proto::ScalePoint& b) {
  return a.ranks() == b.ranks() && a.batch_per_device() == b.batch_per_device() && a.reduction() == b.reduction() &&
         SameSettings(SettingsOf(spec, a), SettingsOf(spec, b));
}

template <typename Numbers>
void AddMissing(const Numbers& more, Numbers& numbers) {
  for (const uint32_t number : more) {
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
      numbers.Add(number);
    }
  }
}

void AddInputs(const proto::Header& other, proto::Header& header) {
  for (const proto::Input& input : other.input()) {
    if (std::none_of(header.input().begin(), header.input().end(),
                     [&](const proto::Input& one) { return one.sha256() == input.sha256(); })) {
      *header.add_input() = input;
    }
  }
}

// Names the run of each point, because a joined record has one header for all of them.
void NameRuns(std::vector<ScaleRecords>& files) {
  for (ScaleRecords& file : files) {
    for (proto::ScaleRecord& record : file.records) {
      if (record.has_point() && record.point().pooled_file().empty()) {
        record.mutable_point()->set_earlier_run(RunStartOf(file.header, record.point()));
      }
    }
  }
}

std::string EpochText(const proto::ScalePoint& point) {
  return absl::StrCat(point.steps_per_epoch(), " steps and ", point.images_per_epoch(), " images per epoch");
}

// Builder of a joined record. The first record of `joined` must be its spec.
class PointJoiner {
 public:
  explicit PointJoiner(JoinedScale& joined)
      : joined_(joined), first_(joined.scale.input.path()), files_(joined.scale.records.size(), first_) {}

  // Adds the points of `other`.
  absl::Status Add(const ScaleRecords& other) {
    const proto::ScaleSpec& of_other = *FindSpec(other);
    const size_t earlier = joined_.scale.records.size();  // number of records that are not from `other`
    for (const proto::ScaleRecord& record : other.records) {
      if (!record.has_point()) {
        continue;
      }
      proto::ScaleRecord added = record;
      const proto::ScaleSpec& spec = joined_.scale.records[0].spec();
      if (!record.point().has_training() &&
          of_other.training().SerializeAsString() != spec.training().SerializeAsString()) {
        *added.mutable_point()->mutable_training() = of_other.training();
      }
      size_t i = 0;
      while (i < earlier && !(joined_.scale.records[i].has_point() &&
                              IsSamePoint(spec, joined_.scale.records[i].point(), added.point()))) {
        ++i;
      }
      if (i == earlier) {
        joined_.scale.records.push_back(std::move(added));
        files_.push_back(other.input.path());
      } else {
        RETURN_IF_ERROR(AddTo(other.input.path(), added.point(), *joined_.scale.records[i].mutable_point(), files_[i]));
      }
    }
    return absl::OkStatus();
  }

 private:
  // Adds the times of `more`, a point of `path`, to `point`, the same point, which was first in `file`.
  absl::Status AddTo(const std::string& path, const proto::ScalePoint& more, proto::ScalePoint& point,
                     std::string& file) {
    const std::string name = PointName(point);
    const std::string pooled = PooledFiles(point), files = pooled.empty() ? file : pooled;
    const bool is_taken = more.outcome() == proto::COMPLETED;
    if (!is_taken && point.outcome() != proto::COMPLETED) {
      return absl::OkStatus();
    }
    if (!is_taken || point.outcome() != proto::COMPLETED) {
      joined_.repeated.push_back(absl::StrCat(name, ": epochs of ", is_taken ? path : files, " only; the point of ",
                                              is_taken ? files : path, " did not complete"));
      if (is_taken) {
        point = more;
        file = path;
      }
      return absl::OkStatus();
    }
    if (more.steps_per_epoch() != point.steps_per_epoch() || more.images_per_epoch() != point.images_per_epoch()) {
      return absl::FailedPreconditionError(absl::StrCat(path, ": expected ", name, " with ", EpochText(point),
                                                        ", like in ", files, ", found ", EpochText(more),
                                                        Remedy(first_, path)));
    }
    if (HasEpochsOf(point, more)) {
      joined_.repeated.push_back(
          absl::StrCat(name, ": epochs of ", files, "; those of ", path, " are the same times, and count once"));
      return absl::OkStatus();
    }
    PoolPoint(more, path, file, point);
    joined_.repeated.push_back(absl::StrCat(name, ": epochs of ", PooledFiles(point)));
    return absl::OkStatus();
  }

  JoinedScale& joined_;
  const std::string first_;         // path of the first record
  std::vector<std::string> files_;  // file of each record of `joined_`, the first one that has the point
};

}  // namespace

absl::StatusOr<JoinedScale> JoinScaleRecords(std::vector<ScaleRecords> records) {
  JoinedScale joined;
  if (records.size() == 1) {
    joined.scale = std::move(records[0]);
    return joined;
  }
  NameRuns(records);
  joined.scale = std::move(records[0]);
  const ScaleRecords first = joined.scale;
  for (size_t i = 1; i < records.size(); ++i) {
    if (const std::string why = WhyNotJoined(first, records[i]); !why.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat(records[i].input.path(), ": expected a run that can be joined with ", first.input.path(),
                       ", found ", why, Remedy(first.input.path(), records[i].input.path())));
    }
  }
  const auto spec_at = std::find_if(joined.scale.records.begin(), joined.scale.records.end(),
                                    [](const proto::ScaleRecord& record) { return record.has_spec(); });
  std::iter_swap(joined.scale.records.begin(), spec_at);
  PointJoiner joiner(joined);
  for (size_t i = 1; i < records.size(); ++i) {
    proto::ScaleSpec& spec = *joined.scale.records[0].mutable_spec();
    AddMissing(FindSpec(records[i])->ranks(), *spec.mutable_ranks());
    AddMissing(FindSpec(records[i])->batch_size(), *spec.mutable_batch_size());
    RETURN_IF_ERROR(joiner.Add(records[i]));
    proto::Header& header = joined.scale.header;
    if (records[i].header.device_size() > header.device_size()) {
      std::swap(header, records[i].header);
    }
    AddInputs(records[i].header, header);
    joined.scale.input.set_path(absl::StrCat(joined.scale.input.path(), ",", records[i].input.path()));
  }
  joined.scale.input.clear_sha256();
  joined.scale.input.clear_size_bytes();
  return joined;
}

}  // namespace lockstep
