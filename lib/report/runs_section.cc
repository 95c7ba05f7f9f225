#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/comparison/compared_runs.h"
#include "lib/report/sections.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

// Returns the name of an entry in sentences and legends: its settings, or its records if no setting differs.
std::string NameOf(const ComparedEntry& entry) { return entry.settings.empty() ? entry.records : entry.settings; }

// Returns the verdict in words: "slower: 1.97 [1.93, 2.01] times as long".
std::string VerdictText(const ComparedEntry& entry, const ComparedEntry& fastest) {
  const TimeComparison& times = entry.comparison;
  if (&entry == &fastest) {
    return "the shortest epoch here";
  }
  if (times.verdict != TimeVerdict::kInconclusive) {
    return absl::StrCat(times.verdict == TimeVerdict::kSlower ? "slower" : "faster", ": ",
                        FormatInterval(times.ratio, times.low, times.high), " times as long");
  }
  const std::string needed = entry.runs_needed > 0 ? absl::StrCat(entry.runs_needed, " runs of each would decide")
                                                   : absl::StrCat(kMaxRunsNeeded, " runs of each would not decide");
  return absl::StrCat("inconclusive with ", CountOf(entry.runs, "run"), " against ", CountOf(fastest.runs, "run"), "; ",
                      needed);
}

proto::Table RunsTable(const ComparedWork& work) {
  proto::Table table = MakeTable(
      absl::StrCat("Seconds per epoch: ", work.title),
      {"point", "record", "settings that differ", "epoch, s", "times the shortest", "compared with the shortest"});
  for (const ComparedPlace& place : work.places) {
    for (const ComparedEntry& entry : place.entries) {
      AddRow(table, {LabelCell(place.name), LabelCell(entry.records),
                     LabelCell(entry.settings.empty() ? "no setting" : entry.settings),
                     SamplesCell(entry.epoch_seconds, 1, entry.runs > 1 ? "runs" : "timed epochs"),
                     NumberCell(entry.comparison.ratio, proto::DERIVED,
                                "geometric mean over runs / that of the shortest epoch of the same point", 3),
                     LabelCell(VerdictText(entry, place.entries[0]))});
    }
  }
  AddMethodNotes(table);
  table.add_note(
      "Compared like report --compare: Welch's t on logarithms of the runs' mean epochs, 95 % for all comparisons of "
      "the table together (Bonferroni). Two single runs are never called different, because the epochs within a run do "
      "not "
      "show how much runs differ. Geometric means are compared, so \"times the shortest\" of several runs differs from "
      "the quotient of the means in \"epoch, s\".");
  return table;
}

// Adds one entry to the series of its settings.
void AddBar(size_t tick, const ComparedEntry& entry, proto::Series& series) {
  const MeanAndDeviation spread = MeanAndDeviationOf(entry.epoch_seconds);
  series.add_x(static_cast<double>(tick));
  series.add_y(entry.mean_seconds);
  series.add_y_low(entry.mean_seconds - std::min(spread.standard_deviation, entry.mean_seconds));
  series.add_y_high(entry.mean_seconds + spread.standard_deviation);
}

proto::Plot RunsPlot(const ComparedWork& work, size_t number) {
  proto::Plot plot;
  plot.set_id(number == 0 ? "runs" : absl::StrCat("runs_", number + 1));
  plot.set_title(absl::StrCat("Seconds per epoch: ", work.title));
  plot.set_y_label("seconds per epoch");
  plot.set_kind(proto::GROUPED_BARS);
  for (const std::string& settings : work.settings) {
    proto::Series series;
    series.set_provenance(proto::MEASURED);
    for (size_t tick = 0; tick < work.places.size(); ++tick) {
      for (const ComparedEntry& entry : work.places[tick].entries) {
        if (entry.settings == settings) {
          series.set_label(NameOf(entry));
          AddBar(tick, entry, series);
        }
      }
    }
    *plot.add_series() = std::move(series);
  }
  for (const ComparedPlace& place : work.places) {
    plot.add_tick(place.name);
  }
  plot.set_description(absl::StrCat("One bar per run and point; lower is faster. ", work.places.size(), " points, ",
                                    work.settings.size(), " groups of runs."));
  return plot;
}

// Returns "batch 128: 0.205 s (fast.rec) to 2.68 s (fp32.rec), 13 times as long.", or "" for a single entry.
std::string Sentence(const ComparedPlace& place) {
  const ComparedEntry &shortest = place.entries.front(), &longest = place.entries.back();
  return place.entries.size() < 2
             ? ""
             : absl::StrCat(place.name, ": ", FormatNumber(shortest.mean_seconds, 3), " s (", shortest.records, ") to ",
                            FormatNumber(longest.mean_seconds, 3), " s (", longest.records, "), ",
                            FormatNumber(longest.comparison.ratio, 3), " times as long",
                            longest.runs + shortest.runs > 2 ? " by geometric means." : ".");
}

}  // namespace

proto::Section RunsSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("runs");
  section.set_title("The runs next to each other");
  const std::vector<ComparedWork> works = CompareLabRuns(lab);
  for (size_t i = 0; i < works.size(); ++i) {
    for (const ComparedPlace& place : works[i].places) {
      if (const std::string text = Sentence(place); !text.empty()) {
        section.add_paragraph(text);
      }
    }
    *section.add_table() = RunsTable(works[i]);
    *section.add_plot() = RunsPlot(works[i], i);
  }
  return section;
}

}  // namespace lockstep
