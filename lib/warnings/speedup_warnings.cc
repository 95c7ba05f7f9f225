#include "lib/warnings/speedup_warnings.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/scaling/point_run.h"
#include "lib/scaling/speedup_doubts.h"

namespace lockstep {
namespace {

constexpr size_t kMaxNamed = 3;  // speed-ups that a warning names; the others are counted

// Returns "2 ranks at batch 32 per device: epoch speed-up 2.4 (2.2 to 2.6)".
std::string Named(const proto::ScalingRow& row) {
  return absl::StrCat(row.ranks(), " ranks at batch ", row.batch_per_device(), " per device: ", SpeedupAboveRanks(row));
}

std::string List(std::vector<std::string> texts) {
  const size_t more = texts.size() > kMaxNamed ? texts.size() - kMaxNamed : 0;
  texts.resize(texts.size() - more);
  return absl::StrCat(absl::StrJoin(texts, "; "), more == 0 ? "" : absl::StrCat("; and ", more, " more"));
}

void WarnOfDifferentRuns(const LabCommModel& file, std::vector<Warning>& warnings) {
  const proto::ScalingRow* first = nullptr;
  std::set<uint32_t> ranks;
  std::vector<std::string> above;
  for (const proto::ScalingRow& row : file.rows) {
    if (row.run_start_size() == 2) {
      first = first == nullptr ? &row : first;
      ranks.insert(row.ranks());
      if (!SpeedupAboveRanks(row).empty()) {
        above.push_back(Named(row));
      }
    }
  }
  if (first == nullptr) {
    return;
  }
  const std::string text = DifferentRunsText(absl::StrJoin(ranks, ", "), first->run_start(0), first->run_start(1));
  const std::string explained = above.empty() ? "" : absl::StrCat("; speed-ups above N: ", List(above));
  warnings.push_back({"times_of_different_runs",
                      absl::StrCat("In ", file.name(), " ", text, explained,
                                   ". The machine or the program may have changed in between; for speed-ups that can "
                                   "be trusted, measure all ranks in one run: scale_run --force.")});
}

void WarnOfSpeedupsAboveRanks(const LabCommModel& file, std::vector<Warning>& warnings) {
  std::map<std::string, std::vector<std::string>> by_cause;
  for (const proto::ScalingRow& row : file.rows) {
    if (row.run_start().empty() && !SpeedupAboveRanks(row).empty()) {
      by_cause[CauseOfSpeedupAboveRanks(row)].push_back(Named(row));
    }
  }
  for (const auto& [cause, speedups] : by_cause) {
    warnings.push_back({"speedup_above_ranks", absl::StrCat("Speed-ups above the number of ranks (", file.name(),
                                                            "): ", List(speedups), ". Probable cause: ", cause, ".")});
  }
}

}  // namespace

void WarnOfSpeedups(const LabRecords& lab, std::vector<Warning>& warnings) {
  for (const LabCommModel& file : lab.comm_models) {
    WarnOfDifferentRuns(file, warnings);
    WarnOfSpeedupsAboveRanks(file, warnings);
  }
}

}  // namespace lockstep
