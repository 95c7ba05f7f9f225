#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/sections.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

bool HasScaling(const LabRecords& lab) {
  return std::any_of(lab.comm_models.begin(), lab.comm_models.end(),
                     [](const LabCommModel& file) { return !file.rows.empty(); });
}

bool HasPredictions(const LabRecords& lab) {
  return std::any_of(lab.comm_models.begin(), lab.comm_models.end(),
                     [](const LabCommModel& file) { return !file.predictions.empty(); });
}

bool HasExperiments(const LabRecords& lab) {
  return std::any_of(lab.scales.begin(), lab.scales.end(),
                     [](const LabScale& scale) { return scale.spec.experiment() != proto::EXPERIMENT_UNSPECIFIED; });
}

}  // namespace

proto::Section MethodsSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("methods");
  section.set_title("Methods");
  proto::Table table = MakeTable("How each quantity was obtained", {"quantity", "method", "shown as"});
  const auto add = [&](bool is_on_page, const char* quantity, const char* method, const char* shown) {
    if (is_on_page) {
      AddRow(table, {LabelCell(quantity), LabelCell(method), LabelCell(shown)});
    }
  };
  const bool timed = !lab.sweeps.empty() || !lab.scales.empty();
  add(timed, "epoch",
      "Wall time of an epoch with data loading, on the steady clock of the host, after the device has finished. A "
      "warm-up epoch precedes the timed ones and is not counted. On several devices: the slowest rank.",
      "mean of the timed epochs; smallest and largest epoch, or one sample standard deviation where a table says so");
  add(timed, "epoch without loading", "The epoch minus the time of waiting for images.", "like the epoch");
  add(timed, "single steps", "Times between events, of full batches only.", "median and percentiles");
  add(timed, "clocks and power", "Readings of the GPU ten times a second in timed epochs.",
      "median, with the extreme that matters");
  add(HasScaling(lab), "speed-up", "Epoch of one device divided by that of N devices, at the same batch per device.",
      "quotient of the means; quotients of the extremes of single epochs");
  add(HasScaling(lab), "waiting for communication",
      "By events: from the end of backward to the end of the last all-reduce, summed over an epoch.",
      "of the rank with the largest sum");
  add(HasScaling(lab), "compute and comm", "The lab's subtraction: s_1(B) / N, and s_N(B) minus that.",
      "differences of means; below 0 if noise is larger than the difference");
  add(HasPredictions(lab), "prediction", "A model fitted to other points than those that it predicts.",
      "value and interval; whether the measured epoch is inside");
  add(HasExperiments(lab), "accuracy of an experiment",
      "Training with several seeds. A difference counts if Welch's t-test finds it at 95 %, corrected for the number "
      "of comparisons.",
      "mean over seeds; worst and best seed");
  add(!lab.quantized.empty(), "accuracy in int8",
      "The same test images in fp32 and int8. A change counts by McNemar's exact test on the images that differ.",
      "share of correct images");
  if (table.row().empty()) {
    table.set_absent_reason("no measuring record is among the inputs");
    *section.add_table() = std::move(table);
    return section;
  }
  table.add_note(
      "Rule: a mean has the range of its single measurements, from the smallest to the largest, or one sample standard "
      "deviation; a median has percentiles. A single measurement has no range and is not compared.");
  *section.add_table() = std::move(table);
  return section;
}

}  // namespace lockstep
