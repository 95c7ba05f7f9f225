#include "lib/comm_model/verdict.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/audit/flags.h"
#include "lib/scaling/point_run.h"
#include "lib/scaling/speedup_doubts.h"

namespace lockstep {
namespace {

// Returns null if no row of several devices has a speed-up.
const proto::ScalingRow* LargestRow(const std::vector<proto::CommModelRecord>& records) {
  const proto::ScalingRow* largest = nullptr;
  const auto size = [](const proto::ScalingRow& row) { return std::make_tuple(row.ranks(), row.batch_per_device()); };
  for (const proto::CommModelRecord& record : records) {
    const proto::ScalingRow& row = record.scaling();
    if (record.has_scaling() && row.ranks() > 1 && row.epoch_speedup().has_value() &&
        (largest == nullptr || size(row) > size(*largest))) {
      largest = &row;
    }
  }
  return largest;
}

// Returns the reason to doubt the row's speed-ups, with ", but " in front; empty if there is none.
std::string DoubtText(const proto::ScalingRow& row) {
  if (row.run_start_size() == 2) {
    return absl::StrCat(", but ", DifferentRunsText(absl::StrCat(row.ranks()), row.run_start(0), row.run_start(1)));
  }
  const std::string above = SpeedupAboveRanks(row);
  return above.empty() ? ""
                       : absl::StrCat(", but ", above,
                                      " is above the number of ranks; probable cause: ", CauseOfSpeedupAboveRanks(row));
}

std::string ScalingVerdict(const proto::ScalingRow& row) {
  const double speedup = row.epoch_speedup().value();  // speed-up of epochs, like Table 1 of the report
  return absl::StrFormat("%d devices, batch %d each: an epoch is %.3g times as fast as on one (%.0f %% of ideal)%s",
                         row.ranks(), row.batch_per_device(), speedup, 100 * speedup / row.ranks(), DoubtText(row));
}

// Appends for example "3 predictions" if `one` is "prediction"; appends nothing if `count` is 0.
void AppendCount(uint64_t count, const std::string& one, std::vector<std::string>& parts) {
  if (count > 0) {
    parts.push_back(absl::StrCat(count, " ", one, count == 1 ? "" : "s"));
  }
}

// Returns the number of values that follow only if one digit of a time, which was lost in typing, is restored.
uint64_t WithLostDigit(const proto::AuditTable& table) {
  return static_cast<uint64_t>(std::count_if(table.value().begin(), table.value().end(), [](const auto& value) {
    return value.finding() == proto::REPRODUCED && std::count(value.flag().begin(), value.flag().end(), kLostDigit) > 0;
  }));
}

}  // namespace

std::string VerdictText(const std::vector<proto::CommModelRecord>& records) {
  std::vector<std::string> parts;
  if (const proto::ScalingRow* row = LargestRow(records); row != nullptr) {
    parts.push_back(ScalingVerdict(*row));
  }
  uint64_t rows = 0, fits = 0, accepted = 0, predictions = 0, answers = 0, audited = 0, followed = 0, ambiguous = 0,
           restored = 0, left_out = 0;
  for (const proto::CommModelRecord& record : records) {
    rows += record.has_scaling();
    fits += record.has_all_reduce_fit();
    accepted += record.all_reduce_fit().accepted();
    predictions += record.has_prediction();
    answers += record.has_what_if();
    const proto::AuditSummary& summary = record.audit().summary();
    audited += summary.reproduced() + summary.ambiguous() + summary.could_be_chance() + summary.not_reproducible();
    followed += summary.reproduced();
    ambiguous += summary.ambiguous();
    restored += WithLostDigit(record.audit());
    for (const proto::LeftOutName& name : record.audit().left_out()) {
      left_out += name.numbers();
    }
  }
  if (rows > 0 && parts.empty()) {
    parts.push_back("no speed-up: it needs points of one device and of several");
  }
  AppendCount(predictions, "prediction", parts);
  AppendCount(answers, "what-if answer", parts);
  if (audited > 0) {
    parts.push_back(absl::StrCat(followed, " of ", audited, " printed results follow from their tables",
                                 ambiguous == 0 ? "" : absl::StrCat(", ", ambiguous, " in more than one way"),
                                 restored == 0 ? "" : absl::StrCat(", ", restored, " only with a lost digit restored"),
                                 left_out == 0 ? "" : absl::StrCat("; ", left_out, " numbers left out")));
  }
  if (fits > 0 && parts.empty()) {
    parts.push_back(absl::StrCat(accepted, " of ", fits, " fits of all-reduce times accepted"));
  }
  return parts.empty() ? "no results" : absl::StrJoin(parts, "; ");
}

}  // namespace lockstep
