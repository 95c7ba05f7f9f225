#include <string>

#include "absl/strings/str_cat.h"
#include "lib/report/sections.h"
#include "lib/scaling/bend_lines.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/question_commands.h"

namespace lockstep {
namespace {

constexpr char kEarlierVersion[] = "made by an earlier version";
constexpr char kNotCompared[] = "nothing was predicted, or nothing was run";

proto::Cell CountLabel(uint32_t count) { return LabelCell(absl::StrCat(count)); }

// Returns a fraction in per cent, or a blank cell if `has` is false.
proto::Cell ErrorCell(bool has, double fraction, const char* method) {
  return has ? NumberCell(kPercent.scale * fraction, proto::DERIVED, method, 3) : AbsentCell(kNotCompared);
}

proto::Table PublishedTimesTable(const LabCommModel& file) {
  proto::Table table = MakeTable(absl::StrCat("Published times that predictions start from: ", file.name()),
                                 {"from", "devices N", "batch per device", "epochs", "epoch, s", "E_1/E_N",
                                  "strong speed-up", HeadingOf("efficiency", kPercent)});
  for (const proto::PublishedTime& time : file.published_times) {
    const proto::Quantity& speedup = time.epoch_speedup();
    AddRow(table, {LabelCell(time.source()), CountLabel(time.ranks()), CountLabel(time.batch_per_device()),
                   time.epochs() > 0 ? CountLabel(time.epochs()) : AbsentCell("one number is printed"),
                   QuantityCell(time.epoch_seconds()), QuantityCell(speedup), QuantityCell(time.strong_speedup()),
                   speedup.has_value() && time.ranks() > 0 ? NumberCell(kPercent.scale * speedup.value() / time.ranks(),
                                                                        proto::DERIVED, "E_1/E_N / devices", 3)
                                                           : AbsentCell("no speed-up")});
  }
  table.add_note("E_1/E_N: at the same batch per device; strong: at the same global batch.");
  AddMethodNotes(table);
  return table;
}

// Returns the record or table from which the prediction was made and, for a row of --what_if, its hosts.
std::string SourceText(const proto::Prediction& p) {
  return p.hosts() > 1    ? absl::StrCat(p.source(), ", what if: ", p.hosts(), " hosts, ", p.exchange())
         : p.hosts() == 1 ? absl::StrCat(p.source(), ", what if: one host")
                          : p.source();
}

// Returns whether the measured time is in the interval, or the reason why this is not known.
proto::Cell InsideCell(const proto::Prediction& p) {
  return p.has_inside_interval()  ? LabelCell(p.inside_interval() ? "yes" : "no")
         : p.has_relative_error() ? AbsentCell("the prediction has no interval")
                                  : AbsentCell(kNotCompared);
}

proto::Table PredictionTable(const LabCommModel& file) {
  proto::Table table =
      MakeTable(absl::StrCat("Runs predicted from smaller ones: ", file.name()),
                {"from", "devices N", "batch per device", "predicted epoch, s", "T_1/N, s", "measured epoch, s",
                 "off by, %", "T_1/N off by, %", "within its interval", "exposed, s", "exposed by NCCL's model, s"});
  for (const proto::Prediction& p : file.predictions) {
    AddRow(table,
           {LabelCell(SourceText(p)), CountLabel(p.ranks()), CountLabel(p.batch_per_device()),
            QuantityCell(p.epoch_seconds()), QuantityCell(p.null_epoch_seconds()),
            p.measured_epoch_seconds().has_value() ? QuantityCell(p.measured_epoch_seconds()) : AbsentCell("not run"),
            ErrorCell(p.has_relative_error(), p.relative_error(), "predicted / measured - 1"),
            ErrorCell(p.has_null_relative_error(), p.null_relative_error(), "(T_1/N) / measured - 1"), InsideCell(p),
            QuantityCell(p.exposed_seconds()), QuantityCell(p.nccl_exposed_seconds())});
  }
  if (table.row().empty()) {
    table.set_absent_reason(absl::StrCat("nothing was predicted; ", RunText({PredictCommand()})));
  }
  AddMethodNotes(table);
  return table;
}

// Returns a blank cell for a row of a version that stored no exchange.
proto::Cell ExchangeCell(const proto::WhatIfRow& row) {
  return row.exchange().empty() ? AbsentCell(kEarlierVersion) : LabelCell(row.exchange());
}

proto::Table WhatIfTable(const LabCommModel& file) {
  const proto::Cluster& cluster = file.spec.cluster();
  proto::Table table = MakeTable(
      absl::StrCat("What if: ", cluster.name().empty() ? "a cluster" : cluster.name(), " of hosts of ",
                   cluster.devices_per_host(), " devices (modelled)"),
      {"variant", "devices N", "hosts", "batch per device", "exchange", "all-reduce by",
       HeadingOf("all-reduce", kMicroseconds), HeadingOf("exposed", kMicroseconds), HeadingOf("step", kMilliseconds),
       HeadingOf("epoch", kSeconds), "images/s", "E_1/E_N", HeadingOf("efficiency", kPercent), "pays",
       "stops paying at", HeadingOf("a tenth is exposed at", kGigabytesPerSecond)});
  for (const proto::WhatIfRow& row : file.what_ifs) {
    AddRow(table,
           {LabelCell(row.variant()), CountLabel(row.devices()), CountLabel(row.hosts()),
            CountLabel(row.batch_per_device()), ExchangeCell(row), LabelCell(row.algorithm()),
            QuantityCell(row.all_reduce_seconds(), kMicroseconds.scale),
            QuantityCell(row.exposed_seconds(), kMicroseconds.scale),
            QuantityCell(row.step_seconds(), kMilliseconds.scale), QuantityCell(row.epoch_seconds()),
            QuantityCell(row.images_per_second()), QuantityCell(row.speedup()),
            QuantityCell(row.efficiency(), kPercent.scale), LabelCell(row.pays() ? "yes" : "no"),
            row.stops_paying_at() > 0 ? CountLabel(row.stops_paying_at()) : AbsentCell("nowhere up to a million"),
            row.has_loss_bytes_per_second() ? QuantityCell(row.loss_bytes_per_second(), kGigabytesPerSecond.scale)
                                            : AbsentCell(kEarlierVersion)});
  }
  table.add_note(absl::StrCat("pays: an epoch is at least ", FormatNumber(file.spec.model_spec().min_gain()),
                              " times as fast as with half the devices. Stops paying at: the first number of devices, "
                              "doubling from 1, at which it is not. A tenth is exposed at: the bandwidth between "
                              "hosts, per device, at which exposed communication is a tenth of the step."));
  for (const std::string& line : NoteLines(file.what_ifs)) {
    table.add_note(absl::StrCat(line, "."));
  }
  for (const std::string& line : BendLines(file.what_ifs)) {
    table.add_note(absl::StrCat(line, "."));
  }
  AddMethodNotes(table);
  return table;
}

// Returns "2.1 % (median), 4.6 % (worst, batch 128), 5 points", or the reason why there is no score.
proto::Cell ScoreCell(const proto::LeaveOneOut& score) {
  if (score.points() == 0) {
    return AbsentCell("no point can be left out");
  }
  proto::Cell cell = LabelCell(absl::StrCat(FormatNumber(kPercent.scale * score.median_error(), 2), " (median), ",
                                            FormatNumber(kPercent.scale * score.worst_error(), 2), " (worst, ",
                                            score.worst_point(), "), ", score.points(), " points"));
  cell.set_provenance(proto::DERIVED);
  cell.set_method("each point predicted by the others");
  return cell;
}

void AddLinkRows(const proto::AllReduceFit& fit, proto::Table& table) {
  const std::string name = absl::StrCat("all-reduce, ", fit.source());
  for (const proto::LinkPiece& piece : fit.piece()) {
    const std::string range =
        absl::StrCat(FormatNumber(piece.from_bytes()), " to ", FormatNumber(piece.to_bytes()), " bytes");
    AddRow(table,
           {LabelCell(name), LabelCell(absl::StrCat(HeadingOf("alpha", kMicroseconds), ", ", range)),
            QuantityCell(piece.alpha_seconds(), kMicroseconds.scale), ScoreCell(fit.score()), LabelCell("accepted")});
    AddRow(table, {LabelCell(name), LabelCell(absl::StrCat(HeadingOf("beta", kMicrosecondsPerMegabyte), ", ", range)),
                   QuantityCell(piece.beta_seconds_per_byte(), kMicrosecondsPerMegabyte.scale), ScoreCell(fit.score()),
                   LabelCell("accepted")});
  }
  if (!fit.accepted()) {
    AddRow(table, {LabelCell(name), LabelCell("alpha, beta"), AbsentCell("rejected"), ScoreCell(fit.score()),
                   LabelCell(fit.why_rejected())});
  }
}

void AddStepTimeRow(const proto::StepTimeModel& model, proto::Table& table) {
  AddRow(table, {LabelCell(absl::StrCat("step time of one device, ", model.source())),
                 LabelCell(absl::StrCat(model.point_size(),
                                        model.point_size() == 1 ? " batch" : " batches, straight lines between them")),
                 AbsentCell("the batches' own times"), ScoreCell(model.score()),
                 LabelCell(model.accepted() ? "accepted" : model.why_rejected())});
}

void AddLawRows(const proto::ScalingLawFit& law, proto::Table& table) {
  const std::string name = absl::StrCat(
      law.law(), ", ", law.batch_per_device() > 0 ? absl::StrCat("batch ", law.batch_per_device()) : "all batches",
      ", ", law.degrees_of_freedom(), " degrees of freedom");
  for (const proto::NamedQuantity& parameter : law.parameter()) {
    AddRow(table, {LabelCell(name), LabelCell(parameter.name()), QuantityCell(parameter.quantity()),
                   ScoreCell(law.score()), LabelCell("extrapolated")});
  }
}

proto::Table FitTable(const LabCommModel& file) {
  proto::Table table = MakeTable(absl::StrCat("Fits, and their errors on points that were left out: ", file.name()),
                                 {"fit", "parameter", "value", "errors of left-out points, %", "verdict"});
  for (const proto::AllReduceFit& fit : file.all_reduce_fits) {
    AddLinkRows(fit, table);
  }
  for (const proto::StepTimeModel& model : file.step_times) {
    AddStepTimeRow(model, table);
  }
  size_t refused = 0;
  for (const proto::ScalingLawFit& law : file.laws) {
    refused += !law.refused().empty();
    if (law.refused().empty()) {
      AddLawRows(law, table);
    }
  }
  if (refused > 0) {
    table.add_note(
        absl::StrCat(refused, refused == 1 ? " law of scaling has" : " laws of scaling have",
                     " as many parameters as points, or too few points, and cannot be extrapolated (see the record)."));
  }
  if (table.row().empty()) {
    table.set_absent_reason("nothing was fitted");
  }
  AddMethodNotes(table);
  return table;
}

}  // namespace

proto::Section PredictionSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("prediction");
  section.set_title("Runs that were not made");
  for (const LabCommModel& file : lab.comm_models) {
    if (!file.published_times.empty()) {
      *section.add_table() = PublishedTimesTable(file);
    }
    if (!file.predictions.empty()) {
      *section.add_table() = PredictionTable(file);
    }
    if (!file.what_ifs.empty()) {
      *section.add_table() = WhatIfTable(file);
    }
    if (!file.laws.empty() || !file.all_reduce_fits.empty()) {
      *section.add_table() = FitTable(file);
    }
  }
  if (section.table().empty()) {
    proto::Table& table = *section.add_table() = MakeTable("Runs predicted from smaller ones", {});
    table.set_absent_reason(absl::StrCat("no record among the inputs predicts a run; ", RunText({PredictCommand()})));
  }
  return section;
}

}  // namespace lockstep
