#include "lib/report/sweep_detail.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/report/energy_table.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

constexpr double kFlopPerMac = 2;
constexpr double kPasses = 3;

void AddUnlessEmpty(proto::Table& table, proto::Section& section) {
  if (!table.row().empty() || !table.note().empty()) {
    AddMethodNotes(table);
    *section.add_table() = std::move(table);
  }
}

// Adds fastest, median, 90, 95 and 99 %, slowest.
void AddPercentiles(const proto::StepTimes& times, const Unit& unit, absl::string_view method,
                    std::vector<proto::Cell>& cells) {
  const auto add = [&](double seconds) { cells.push_back(NumberCell(seconds * unit.scale, proto::MEASURED, method)); };
  add(times.min_seconds());
  add(times.p50_seconds());
  add(times.p90_seconds());
  if (times.p95_seconds() > 0) {
    add(times.p95_seconds());
  } else {
    cells.push_back(AbsentCell("not in this record"));
  }
  add(times.p99_seconds());
  add(times.max_seconds());
}

// Adds the durations of single steps; no table if none was timed separately.
void AddStepTimes(const LabSweep& sweep, proto::Section& section) {
  proto::Table table = MakeTable(SweepTitle(HeadingOf("Full steps, without waiting for data", kMilliseconds), sweep),
                                 {"batch", "steps", "fastest", "median", "90 %", "95 %", "99 %", "slowest"});
  for (const proto::SweepPoint& point : sweep.points) {
    if (point.full_steps().count() == 0) {
      continue;
    }
    std::vector<proto::Cell> cells = {LabelCell(FormatCount(point.batch_size())),
                                      LabelCell(FormatCount(point.full_steps().count()))};
    AddPercentiles(point.full_steps(), kMilliseconds,
                   point.step_parts().part().empty()
                       ? "of the timed epochs' steps with a full batch, by nearest rank"
                       : "of the steps with a full batch of the instrumented epoch, by nearest rank",
                   cells);
    AddRow(table, cells);
  }
  AddUnlessEmpty(table, section);
}

void AddPart(const proto::SweepPoint& point, const proto::StepPart& part, double all_seconds, proto::Table& table) {
  std::vector<proto::Cell> cells = {
      LabelCell(FormatCount(point.batch_size())), LabelCell(part.name()),
      NumberCell(part.epoch_seconds(), proto::MEASURED,
                 "sum over the steps of the instrumented epoch, by the GPU's clock"),
      all_seconds > 0 ? PercentCell(part.epoch_seconds() / all_seconds, proto::DERIVED, "of the sum of all parts")
                      : AbsentCell("the parts have no time")};
  if (part.full_steps().count() == 0) {
    cells.insert(cells.end(), 6, AbsentCell(part.full_steps().absent_reason()));
  } else {
    AddPercentiles(part.full_steps(), kMicroseconds,
                   "of the steps with a full batch of the instrumented epoch, by nearest rank", cells);
  }
  AddRow(table, cells);
}

// Returns "Batch 128: the instrumented epoch took 0.5531 s, 1.002 times the median of the timed epochs; ...".
std::string DescribeInstrumentedEpoch(const proto::SweepPoint& point) {
  const proto::StepParts& parts = point.step_parts();
  const std::string batch = absl::StrCat("Batch ", FormatCount(point.batch_size()), ": ");
  if (parts.part().empty()) {
    return absl::StrCat(batch, "no parts of a step (", parts.absent_reason(), ").");
  }
  return absl::StrCat(batch, "the instrumented epoch took ", FormatNumber(parts.epoch_seconds()), " s, ",
                      FormatNumber(parts.perturbation()),
                      " times the median of the timed epochs; the GPU's clock counts in steps of ",
                      NumberWithUnit(FormatNumber(parts.resolution_seconds() * kNanoseconds.scale), kNanoseconds), ".");
}

std::string DescribeParts(const proto::TrainingSpec& training) {
  return absl::StrCat(
      "The parts follow each other on the main stream without a gap. The loss includes the classifier's gradients. ",
      training.second_stream()
          ? "\"backward\" is data gradients and batch norms; weight gradients run concurrently on the second stream, "
            "and "
            "\"rest of the second stream\" is their remainder and the update of the last layers."
          : "There is one stream: \"backward\" includes data and weight gradients, batch norms, and the update of the "
            "last layers.");
}

// Adds the parts of a step; no table if steps have no timestamps.
void AddStepParts(const LabSweep& sweep, proto::Section& section) {
  proto::Table table = MakeTable(SweepTitle("Parts of a step", sweep),
                                 {"batch", "part", "epoch, s", "share, %", "fastest, µs", "median, µs", "90 %, µs",
                                  "95 %, µs", "99 %, µs", "slowest, µs"});
  for (const proto::SweepPoint& point : sweep.points) {
    if (!point.has_step_parts()) {
      continue;
    }
    double all_seconds = 0;
    for (const proto::StepPart& part : point.step_parts().part()) {
      all_seconds += part.epoch_seconds();
    }
    for (const proto::StepPart& part : point.step_parts().part()) {
      AddPart(point, part, all_seconds, table);
    }
    table.add_note(DescribeInstrumentedEpoch(point));
  }
  if (table.note().empty()) {
    return;
  }
  table.add_note(DescribeParts(sweep.spec.training()));
  if (table.row().empty()) {
    table.set_absent_reason("no point has parts of a step");
  }
  AddUnlessEmpty(table, section);
}

// Adds the rate compared with that of one large matrix product; no table if the product was not timed.
void AddCeiling(const LabSweep& sweep, proto::Section& section) {
  proto::Table table = MakeTable(
      SweepTitle("Share of the matmul ceiling", sweep),
      {"batch", kTeraflopsPerSecond.name, HeadingOf("ceiling", kTeraflopsPerSecond), "share, %", "ceiling's product"});
  for (const proto::SweepPoint& point : sweep.points) {
    const proto::MatmulCeiling& ceiling = point.matmul_ceiling();
    const double step_seconds = MeanAndDeviationOf(point.step_seconds()).mean;
    const double ceiling_rate = CeilingFlopPerSecond(ceiling);
    if (step_seconds <= 0 || ceiling_rate <= 0) {
      continue;
    }
    const double rate =
        static_cast<double>(point.images_per_epoch()) * TrainingFlopPerImage(sweep.spec.model()) / step_seconds;
    proto::Cell share =
        PercentCell(rate / ceiling_rate, proto::DERIVED, "TFLOP/s of training / TFLOP/s of the product");
    if (rate > ceiling_rate) {
      share.set_note(kAboveCeiling);
    }
    AddRow(table, {LabelCell(FormatCount(point.batch_size())),
                   NumberCell(rate / kTeraflopsPerSecond.size, proto::DERIVED,
                              "2 FLOP x 3 passes x forward MACs x images / mean epoch without loading"),
                   NumberCell(ceiling_rate / kTeraflopsPerSecond.size, proto::DERIVED,
                              "2 x size^3 FLOP / mean product, timed in the point's process after training"),
                   share,
                   LabelCell(absl::StrCat(ceiling.size(), "^3, ", DescribePrecision(ceiling.precision()), ", ",
                                          ceiling.product_seconds().value_size(), " times"))});
  }
  AddUnlessEmpty(table, section);
}

// Returns "sw_power_cap in 12 of 34 readings"; "no".
std::string DescribeThrottling(const proto::DeviceWatch& watch) {
  std::vector<std::string> reasons;
  for (const proto::ThrottleCount& throttle : watch.throttle()) {
    reasons.push_back(
        absl::StrCat(throttle.reason(), " in ", throttle.readings(), " of ", watch.readings(), " readings"));
  }
  return reasons.empty() ? "no" : absl::StrJoin(reasons, ", ");
}

proto::Cell Reading(double value) { return NumberCell(value, proto::MEASURED, "", 3); }

// Adds clocks, power and throttling during the timed epochs; no table if the device does not report them.
void AddWatch(const LabSweep& sweep, proto::Section& section) {
  proto::Table table = MakeTable(
      SweepTitle("State of the device during the timed epochs", sweep),
      {"batch", "readings", "SM clock, least, MHz", "SM clock, median, MHz", "memory clock, least, MHz",
       "memory clock, median, MHz", "power, median, W", "power, most, W", "temperature, most, °C", "throttled"});
  for (const proto::SweepPoint& point : sweep.points) {
    const proto::DeviceWatch& watch = point.device_watch();
    if (watch.readings() == 0) {
      continue;
    }
    AddRow(table, {LabelCell(FormatCount(point.batch_size())), LabelCell(FormatCount(watch.readings())),
                   Reading(watch.min_sm_clock_mhz()), Reading(watch.median_sm_clock_mhz()),
                   Reading(watch.min_memory_clock_mhz()), Reading(watch.median_memory_clock_mhz()),
                   Reading(watch.median_power_watts()), Reading(watch.max_power_watts()),
                   Reading(watch.max_temperature_celsius()), LabelCell(DescribeThrottling(watch))});
  }
  AddUnlessEmpty(table, section);
}

// Adds clocks and power at the end of each point; no table if the device does not report them.
void AddDeviceStates(const LabSweep& sweep, proto::Section& section) {
  proto::Table table = MakeTable(
      SweepTitle("State of the device at the end of each point", sweep),
      {"batch", "SM clock, MHz", "memory clock, MHz", "power, W", "limit, W", "temperature, °C", "throttled"});
  for (const proto::SweepPoint& point : sweep.points) {
    const proto::DeviceState& state = point.device_state();
    if (!point.has_device_state() || !state.absent_reason().empty()) {
      continue;
    }
    AddRow(table, {LabelCell(FormatCount(point.batch_size())), Reading(state.sm_clock_mhz()),
                   Reading(state.memory_clock_mhz()), Reading(state.power_watts()), Reading(state.power_limit_watts()),
                   Reading(state.temperature_celsius()),
                   LabelCell(state.throttle_reason().empty() ? "no" : absl::StrJoin(state.throttle_reason(), ", "))});
  }
  AddUnlessEmpty(table, section);
}

}  // namespace

std::string SweepTitle(absl::string_view what, const LabSweep& sweep) {
  return absl::StrCat(what, ": ", DescribeSweep(sweep));
}

std::string DescribeSweep(const LabSweep& sweep) {
  const std::string way = DescribeWay(sweep.spec.training());
  return absl::StrCat(sweep.spec.training().model(), " on ", DescribeDevices(sweep.header), way.empty() ? "" : ", ",
                      way, " (", sweep.name(), ")");
}

double TrainingFlopPerImage(const proto::ModelFacts& model) {
  return kFlopPerMac * kPasses * model.forward_macs_per_image();
}

double CeilingFlopPerSecond(const proto::MatmulCeiling& ceiling) {
  const double product_seconds = MeanAndDeviationOf(ceiling.product_seconds()).mean;
  return product_seconds > 0 ? kFlopPerMac * std::pow(ceiling.size(), 3) / product_seconds : 0;
}

void AddStepTables(const LabSweep& sweep, proto::Section& section) {
  AddStepTimes(sweep, section);
  AddStepParts(sweep, section);
}

void AddDeviceTables(const LabSweep& sweep, proto::Section& section) {
  proto::Table energy = SweepEnergyTable(sweep, SweepTitle("Energy", sweep));
  AddUnlessEmpty(energy, section);
  AddCeiling(sweep, section);
  AddWatch(sweep, section);
  AddDeviceStates(sweep, section);
}

}  // namespace lockstep
