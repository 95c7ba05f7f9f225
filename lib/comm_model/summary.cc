#include "lib/comm_model/summary.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/audit/number_choice.h"
#include "lib/base/point_warnings.h"
#include "lib/published/printed_value.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/negative_communication.h"
#include "lib/scaling/point_run.h"
#include "lib/scaling/point_settings.h"
#include "lib/scaling/speedup_doubts.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

// One column of the scaling table. kSeconds stands for the table's unit of time.
struct ScalingColumn {
  const char* name;
  const proto::Quantity& (proto::ScalingRow::*field)() const;
  Unit unit;

  const Unit& UnitIn(const Unit& time) const { return absl::string_view(unit.name) == kSeconds.name ? time : unit; }

  // Returns "epoch ms", "comm/link%" or "strong".
  std::string Heading(const Unit& time) const {
    const absl::string_view unit_name = UnitIn(time).name;
    return absl::StrCat(name, unit_name.empty() || unit_name == kPercent.name ? "" : " ", unit_name);
  }
};

const ScalingColumn kScalingColumns[] = {
    {"epoch", &proto::ScalingRow::epoch_seconds, kSeconds},
    {"steps", &proto::ScalingRow::step_seconds, kSeconds},
    {"strong", &proto::ScalingRow::strong_speedup, kNoUnit},
    {"weak", &proto::ScalingRow::weak_speedup, kNoUnit},
    {"E_1/E_N", &proto::ScalingRow::epoch_speedup, kNoUnit},
    {"T_comp", &proto::ScalingRow::compute_seconds, kSeconds},
    {"T_comm", &proto::ScalingRow::communication_seconds, kSeconds},
    {"exposed", &proto::ScalingRow::exposed_event_seconds, kSeconds},
    {"ablated", &proto::ScalingRow::exposed_ablation_seconds, kSeconds},
    {"comm", &proto::ScalingRow::bandwidth_bytes_per_second, kGigabytesPerSecond},
    {"busy", &proto::ScalingRow::busy_bandwidth_bytes_per_second, kGigabytesPerSecond},
    {"link", &proto::ScalingRow::measured_link_bytes_per_second, kGigabytesPerSecond},
    {"comm/link", &proto::ScalingRow::utilization_of_measured, kPercent},
    {"busy/link", &proto::ScalingRow::busy_utilization_of_measured, kPercent},
};

std::string Number(const proto::Quantity& quantity, const Unit& unit) {
  return quantity.has_value() ? absl::StrFormat("%.5g", quantity.value() / unit.size) : "-";
}

constexpr char kColumnsText[] =
    "times: of one epoch, not of one step; steps: all steps of the epoch, without data loading\n"
    "speed-ups of epochs: E_1/E_N at the same batch per device, strong at the same global batch; of steps: weak at the "
    "same batch per device\n"
    "exposed: by events, of the rank with the largest sum; ablated: time saved without all-reduces; comm GB/s: bytes / "
    "T_comm; busy GB/s: bytes / time in which all-reduces ran\n";

// Rows of one way to train.
struct ScalingTable {
  std::string name;
  std::vector<const proto::ScalingRow*> rows;

  // Returns milliseconds if all epochs are shorter than 10 s.
  const Unit& Time() const {
    const bool is_long = std::any_of(rows.begin(), rows.end(),
                                     [](const proto::ScalingRow* row) { return row->epoch_seconds().value() >= 10; });
    return is_long ? kSeconds : kMilliseconds;
  }
};

// Adds the reasons for absent numbers, and the meaning of a negative T_comm. One device has no communication, so its
// absent numbers need no reason.
void AddReasons(const proto::ScalingRow& row, const Unit& time, PointWarnings& reasons) {
  const std::string point = absl::StrCat(row.ranks(), " x ", row.batch_per_device());
  if (IsOfUnknownMachine(row.strong_speedup()) || IsOfUnknownMachine(row.weak_speedup())) {
    reasons.Add(point, absl::StrCat("a base case is ", kMachineUnknown, ": the records do not name it"));
  }
  if (HasNegativeCommunication(row)) {
    reasons.Add(point, absl::StrCat("T_comm is ", NegativeCommunicationText(row)));
  }
  if (row.run_start_size() == 2) {
    reasons.Add(point, DifferentRunsText(absl::StrCat(row.ranks()), row.run_start(0), row.run_start(1)));
  }
  if (const std::string above = SpeedupAboveRanks(row); !above.empty()) {
    reasons.Add(point,
                absl::StrCat(above, " is above the number of ranks; probable cause: ", CauseOfSpeedupAboveRanks(row)));
  }
  std::vector<std::pair<std::string, std::string>> absent;  // reason, headings
  for (const ScalingColumn& column : kScalingColumns) {
    const proto::Quantity& quantity = (row.*column.field)();
    if (quantity.has_value() || row.ranks() == 1) {
      continue;
    }
    const auto same = std::find_if(absent.begin(), absent.end(),
                                   [&](const auto& reason) { return reason.first == quantity.absent_reason(); });
    if (same == absent.end()) {
      absent.emplace_back(quantity.absent_reason(), column.Heading(time));
    } else {
      absl::StrAppend(&same->second, ", ", column.Heading(time));
    }
  }
  for (const auto& [reason, headings] : absent) {
    reasons.Add(point, absl::StrCat("no ", headings, ": ", reason));
  }
}

// Returns the heading, one line of numbers per row, and the lines of AddReasons.
std::string TableText(const ScalingTable& table) {
  const Unit& time = table.Time();
  std::string text = absl::StrFormat("%3s %6s", "N", "batch");
  for (const ScalingColumn& column : kScalingColumns) {
    absl::StrAppendFormat(&text, " %10s", column.Heading(time));
  }
  PointWarnings reasons;
  for (const proto::ScalingRow* const one : table.rows) {
    const proto::ScalingRow row = ShownRow(*one);
    absl::StrAppendFormat(&text, "\n%3d %6d", row.ranks(), row.batch_per_device());
    for (const ScalingColumn& column : kScalingColumns) {
      absl::StrAppendFormat(&text, " %10s", Number((row.*column.field)(), column.UnitIn(time)));
    }
    AddReasons(row, time, reasons);
  }
  text += "\n";
  for (const std::string& line : reasons.Lines(table.rows.size())) {
    absl::StrAppend(&text, "      ", line, "\n");
  }
  return text;
}

// Returns one table per way to train; the tables have names if there are several.
std::string ScalingText(const std::vector<proto::CommModelRecord>& records) {
  std::vector<ScalingTable> tables;
  for (const proto::CommModelRecord& record : records) {
    if (!record.has_scaling()) {
      continue;
    }
    const std::string name = record.scaling().has_settings() ? SettingsText(record.scaling().settings()) : "";
    if (tables.empty() || tables.back().name != name) {
      tables.push_back({name, {}});
    }
    tables.back().rows.push_back(&record.scaling());
  }
  std::string text;
  for (const ScalingTable& table : tables) {
    absl::StrAppend(&text, tables.size() > 1 ? absl::StrCat(table.name, "\n") : "", TableText(table));
  }
  return text + kColumnsText;
}

// Compares DataParallel's star with its measurement: bytes of the formula and counted bytes, modelled and measured
// time.
std::string StarText(const std::vector<proto::CommModelRecord>& records) {
  std::string text;
  for (const proto::CommModelRecord& record : records) {
    if (!record.has_star()) {
      continue;
    }
    const proto::StarRow& star = record.star();
    if (text.empty()) {
      text = "DataParallel's star, per step on device 0\n";
    }
    absl::StrAppendFormat(
        &text,
        "%3d %6d sends %s MB by the formula, %s counted; receives %s, %s counted; busy %s ms "
        "modelled, %s measured (%s %% off)\n",
        star.ranks(), star.batch_per_device(), Number(star.formula_sent_bytes(), kMegabytes),
        Number(star.counted_sent_bytes(), kMegabytes), Number(star.formula_received_bytes(), kMegabytes),
        Number(star.counted_received_bytes(), kMegabytes), Number(star.modelled_busy_seconds(), kMilliseconds),
        Number(star.measured_busy_seconds(), kMilliseconds), Number(star.relative_error(), kPercent));
  }
  return text;
}

std::string FoundText(const proto::AuditedValue& value) {
  const proto::Candidate& nearest = value.nearest();
  if (value.finding() == proto::COULD_BE_CHANCE) {
    return absl::StrFormat("%.8g: %s", nearest.value(), nearest.convention());
  }
  if (value.finding() == proto::NOT_REPRODUCIBLE) {
    const std::string ratio =
        nearest.ratio() == 0 ? "" : absl::StrFormat(" (printed / nearest = %.4f)", nearest.ratio());
    return value.has_nearest() ? absl::StrFormat("nearest %.8g%s: %s", nearest.value(), ratio, nearest.convention())
                               : value.sentence();
  }
  std::vector<std::string> conventions;
  for (const proto::Candidate& candidate : value.reproduced_by()) {
    conventions.push_back(candidate.convention());
  }
  return absl::StrJoin(conventions, " | ");
}

// Counts of findings and flags in one document.
struct Found {
  std::map<proto::Finding, int> findings;
  std::map<std::string, int> flags;
};

// Returns a line for each column or row that was not read.
std::string LeftOutLines(const proto::AuditTable& table) {
  std::string text;
  for (const proto::LeftOutName& name : table.left_out()) {
    absl::StrAppend(&text, "  left out: '", name.name(), "' (", name.numbers(),
                    name.numbers() == 1 ? " number)" : " numbers)",
                    ", a name that is not understood; numbers that were computed from it cannot follow\n");
  }
  return text;
}

std::string AuditText(const proto::AuditTable& table, Found& found) {
  std::string text = absl::StrCat(table.table(), "\n");
  for (const proto::AuditedValue& value : table.value()) {
    ++found.findings[value.finding()];
    for (const std::string& flag : value.flag()) {
      ++found.flags[flag];
    }
    const std::string flags = value.flag().empty() ? "" : absl::StrCat(" [", absl::StrJoin(value.flag(), ", "), "]");
    absl::StrAppendFormat(&text, "  %-52s %14s  %-16s %s%s\n", NumberName(value.published()),
                          PrintedText(value.published()), proto::Finding_Name(value.finding()), FoundText(value),
                          flags);
  }
  return absl::StrCat(text, LeftOutLines(table), "  = ", table.summary().sentence(), "\n");
}

std::string FoundText(const Found& found) {
  const auto count = [&](proto::Finding finding) {
    return found.findings.count(finding) > 0 ? found.findings.at(finding) : 0;
  };
  const auto times = [](std::string* out, const auto& flag) { absl::StrAppend(out, flag.first, " ", flag.second); };
  return absl::StrFormat(
      "In total: given %d, reproduced %d, ambiguous %d, could be chance %d, not reproducible %d; flags: %s\n",
      count(proto::GIVEN), count(proto::REPRODUCED), count(proto::AMBIGUOUS), count(proto::COULD_BE_CHANCE),
      count(proto::NOT_REPRODUCIBLE), found.flags.empty() ? "none" : absl::StrJoin(found.flags, ", ", times));
}

}  // namespace

std::string SummaryText(const std::vector<proto::CommModelRecord>& records) {
  std::string text;
  for (const proto::CommModelRecord& record : records) {
    if (record.has_scaling()) {
      text = ScalingText(records);
      break;
    }
  }
  absl::StrAppend(&text, StarText(records), ModelsText(records));
  std::string source;
  Found found;
  for (const proto::CommModelRecord& record : records) {
    if (!record.has_audit()) {
      continue;
    }
    if (record.audit().source() != source) {
      absl::StrAppend(&text, found.findings.empty() ? "" : FoundText(found), "\nAudit of ", record.audit().source(),
                      "\n");
      source = record.audit().source();
      found = Found();
    }
    text += AuditText(record.audit(), found);
  }
  return absl::StrCat(text, found.findings.empty() ? "" : FoundText(found));
}

}  // namespace lockstep
