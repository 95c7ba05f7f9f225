#include "lib/collectives/collective_times.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/record/value_ranges.h"
#include "lib/record/wrong_input.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

constexpr uint32_t kMaxRanks = 1 << 24;

absl::Status CheckAllReduce(const proto::CollectiveTimes& times) {
  if (times.ranks() < 2 || times.ranks() > kMaxRanks || times.size_bytes() == 0 ||
      times.size_bytes() > kMaxMessageBytes) {
    return absl::DataLossError("expected 2 or more ranks and 1 to 2^53 bytes");
  }
  if (times.hosts() > times.ranks()) {
    return absl::DataLossError(
        absl::StrCat("expected at most one host for each of ", times.ranks(), " ranks, found ", times.hosts()));
  }
  const auto wrong = static_cast<double>(times.wrong_elements());
  if (times.seconds().value().empty()) {
    return CheckMeasured(std::nullopt, wrong);
  }
  for (const double seconds : times.seconds().value()) {
    RETURN_IF_ERROR(CheckMeasured(seconds * kMicroseconds.scale, wrong));
  }
  return absl::OkStatus();
}

// Returns for example "file.rec, record 7"; the header is record 0.
std::string Origin(const CollectiveTimesFile& file, size_t index) {
  return absl::StrCat(file.input.path(), ", record ", index + 1);
}

}  // namespace

bool IsRecordFile(absl::string_view text) {
  return absl::StartsWith(text, "{") ? absl::StrContains(text, "\"lockstep.proto.") : SchemaAtStart(text) != nullptr;
}

absl::StatusOr<CollectiveTimesFile> ReadCollectiveTimes(const std::string& path) {
  ASSIGN_OR_RETURN(CollectiveTimesFile file, ReadRecordFile<proto::CollectiveTimesFile>(path));
  RETURN_IF_ERROR(CheckValueRanges(path, file.records));
  return file;
}

absl::StatusOr<std::vector<AllReducePoint>> AllReducePointsOf(const CollectiveTimesFile& file) {
  std::vector<AllReducePoint> points;
  for (size_t i = 0; i < file.records.size(); ++i) {
    const proto::CollectiveTimes& times = file.records[i].times();
    if (times.collective() != "all_reduce") {
      continue;
    }
    const std::string origin = Origin(file, i), way = WayText(times.way(), times.type());
    if (const absl::Status status = CheckAllReduce(times); !status.ok()) {
      return absl::DataLossError(absl::StrCat(origin, ": ", way, ": ", status.message()));
    }
    const auto& seconds = times.seconds().value();
    AllReducePoint point = {.ranks = times.ranks(),
                            .size_bytes = times.size_bytes(),
                            .in_place = true,
                            .seconds = {seconds.begin(), seconds.end()},
                            .origin = origin};
    point.way = way;
    point.hosts = times.hosts();
    AddSample(std::move(point), points);
  }
  if (points.empty()) {
    return absl::DataLossError(absl::StrCat(file.input.path(),
                                            ": expected times of an all-reduce, found none; measure them with ",
                                            "gpu_all_reduce_benchmark --collectives=all_reduce"));
  }
  return points;
}

absl::StatusOr<proto::AllReduceCrossovers> CrossoversOf(const CollectiveTimesFile& file, uint32_t ranks,
                                                        const std::string& type) {
  std::optional<proto::AllReduceCrossovers> found;
  std::vector<std::string> others;
  for (size_t i = 0; i < file.records.size(); ++i) {
    if (!file.records[i].has_crossovers()) {
      continue;
    }
    const proto::AllReduceCrossovers& crossovers = file.records[i].crossovers();
    if (crossovers.ranks() != ranks || crossovers.type() != type) {
      others.push_back(absl::StrCat(crossovers.ranks(), " in ", crossovers.type()));
      continue;
    }
    if (crossovers.max_one_shot_bytes() > crossovers.max_two_shots_bytes() ||
        crossovers.max_two_shots_bytes() > kMaxMessageBytes) {
      return absl::DataLossError(
          absl::StrCat(Origin(file, i), ": expected max_two_shots_bytes from max_one_shot_bytes to 2^53, found ",
                       crossovers.max_one_shot_bytes(), " and ", crossovers.max_two_shots_bytes()));
    }
    found = crossovers;
  }
  if (!found.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat(file.input.path(), ": expected crossovers of ", ranks, " ranks in ", type, ", found ",
                     others.empty() ? "none" : absl::StrCat("those of ", absl::StrJoin(others, ", of ")),
                     "; measure them with gpu_all_reduce_benchmark --record"));
  }
  return *std::move(found);
}

}  // namespace lockstep
