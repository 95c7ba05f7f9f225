#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/comm_model/short_text.h"
#include "lib/comm_model/summary.h"
#include "lib/scaling/bend_lines.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

// Returns the bandwidth at which a tenth is lost, "never", "always", or "-".
std::string LossText(const proto::Quantity& bandwidth) {
  for (const char* word : {"never", "always"}) {
    if (absl::StartsWith(bandwidth.absent_reason(), word)) {
      return word;
    }
  }
  return ShortText(bandwidth, kGigabytesPerSecond);
}

// Returns a part of a step in microseconds without its interval, "-" if it is absent. Numbers without intervals can be
// added up by the reader.
std::string ValueText(const proto::Quantity& part) {
  return part.has_value() ? absl::StrFormat("%.4g", kMicroseconds.scale * part.value()) : "-";
}

std::string RowText(const proto::WhatIfRow& row) {
  return absl::StrFormat(
      "  %6u %5u %6u %-12s %-18s %10s %10s %10s %10s %10s %9s %20s %8.4g %7.1f  %-4s %8s %9s\n", row.devices(),
      row.hosts(), row.batch_per_device(), row.exchange().empty() ? "-" : row.exchange(), row.algorithm(),
      ShortText(row.all_reduce_seconds(), kMicroseconds), ValueText(row.device_step_seconds()),
      ValueText(row.overhead_seconds()), ValueText(row.exposed_seconds()), ValueText(row.straggler_seconds()),
      absl::StrFormat("%.4g", kMilliseconds.scale * row.step_seconds().value()),
      ShortText(row.epoch_seconds(), kSeconds), row.speedup().value(), kPercent.scale * row.efficiency().value(),
      row.pays() ? "yes" : "no", row.stops_paying_at() > 0 ? absl::StrCat(row.stops_paying_at()) : "-",
      LossText(row.loss_bytes_per_second()));
}

// Returns for example "  link between hosts, per device: 10 us, 50 GB/s (data sheet)"; empty if there is none. `of` may
// name an exchange.
std::string LinkText(absl::string_view of, const proto::Link& link) {
  if (!(link.bytes_per_second() > 0)) {
    return "";
  }
  return absl::StrFormat("  link between hosts, per device%s: %.4g us, %.4g GB/s%s\n", of,
                         kMicroseconds.scale * link.latency_seconds(),
                         kGigabytesPerSecond.scale * link.bytes_per_second(),
                         link.source().empty() ? "" : absl::StrCat(" (", link.source(), ")"));
}

std::string PaysText(const proto::ModelSpec& spec) {
  const std::string gain = spec.min_gain() > 0 ? absl::StrFormat("at least %.4g times as fast as", spec.min_gain())
                                               : "enough faster (min_gain) than";
  return absl::StrCat("  pays: an epoch is ", gain,
                      " with half the devices; stops at: the first number of devices, doubling from 1, that does not "
                      "pay\n");
}

// Returns the section of the rows of one variant.
std::string VariantText(const std::vector<proto::WhatIfRow>& rows, const proto::CommModelSpec& spec) {
  std::string text =
      absl::StrCat("\nWhat if, ", rows[0].variant(), " (modelled)\n", LinkText("", spec.cluster().inter_host()),
                   LinkText(", flat exchange", spec.cluster().inter_host_flat()));
  absl::StrAppendFormat(&text, "  %6s %5s %6s %-12s %-18s %10s %10s %10s %10s %10s %9s %20s %8s %7s  %-4s %8s %9s\n",
                        "N", "hosts", "batch", "exchange", "algorithm", "all-red us", "1-dev us", "overhd us",
                        "exposed us", "strag us", "step ms", "epoch s", "speed-up", "effic %", "pays", "stops at",
                        "-10% GB/s");
  for (const proto::WhatIfRow& row : rows) {
    text += RowText(row);
  }
  absl::StrAppend(&text,
                  "  step = 1-dev (a step of one device) + overhd (overhead: added cost of several devices, with the "
                  "exchange hidden) + exposed + strag (stragglers: wait for the slowest device)\n",
                  "  speed-up, effic %: of epochs\n", PaysText(spec.model_spec()),
                  "  -10% GB/s: bandwidth between hosts at which exposed communication is a tenth of the step\n");
  for (const std::string& line : NoteLines(rows)) {
    absl::StrAppend(&text, "  ", line, "\n");
  }
  for (const std::string& line : BendLines(rows)) {
    absl::StrAppend(&text, "  ", line, "\n");
  }
  return text;
}

}  // namespace

std::string WhatIfText(const std::vector<proto::CommModelRecord>& records) {
  std::string text;
  proto::CommModelSpec spec;
  std::vector<proto::WhatIfRow> rows;  // rows of one variant
  const auto end_variant = [&] {
    text += rows.empty() ? "" : VariantText(rows, spec);
    rows.clear();
  };
  for (const proto::CommModelRecord& record : records) {
    if (record.has_spec()) {
      spec = record.spec();
    }
    if (!record.has_what_if()) {
      continue;
    }
    if (!rows.empty() && rows[0].variant() != record.what_if().variant()) {
      end_variant();
    }
    rows.push_back(record.what_if());
  }
  end_variant();
  return text;
}

}  // namespace lockstep
