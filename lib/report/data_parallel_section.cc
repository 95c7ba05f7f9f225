// DataParallel compared with DDP, and the star's formula compared with its run.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/dataset_facts.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/report/sections.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"
#include "lib/wording/describe.h"
#include "lib/wording/question_commands.h"
#include "lib/wording/sent.h"

namespace lockstep {
namespace {

constexpr char kBase[] = "the base case is plain training of one device";
constexpr char kAsked[] = "DataParallel or DistributedDataParallel?";

// Returns the uncompressed DDP run of the same model, data and step on the same devices; null if the inputs have none.
const ScalingView* FindDdp(const std::vector<ScalingView>& views, const ScalingView& dp) {
  for (const ScalingView& view : views) {
    if (view.scale == nullptr || dp.scale == nullptr || view.settings.mode() != proto::DDP) {
      continue;
    }
    const bool same_run =
        view.Spec().training().model() == dp.Spec().training().model() &&
        view.scale->spec.model().training_images() == dp.scale->spec.model().training_images() &&
        view.scale->spec.model().forward_macs_per_image() == dp.scale->spec.model().forward_macs_per_image() &&
        DescribeDevices(view.scale->header) == DescribeDevices(dp.scale->header) &&
        view.scale->spec.batch_mode() == dp.scale->spec.batch_mode();
    if (same_run && SameStep(view.settings, dp.settings) && view.settings.gradient_compression() == "none") {
      return &view;
    }
  }
  return nullptr;
}

bool IsTimed(const proto::ScalePoint* point) {
  return point != nullptr && point->outcome() == proto::COMPLETED && !point->epoch_seconds().value().empty();
}

proto::Cell EpochCell(const proto::ScalePoint* point) {
  return point == nullptr ? AbsentCell("not run")
         : IsTimed(point) ? SamplesCell(point->epoch_seconds())
                          : AbsentCell(absl::StrCat("the run ended: ", DescribeOutcome(point->outcome())));
}

double Mean(const proto::ScalePoint& point) { return MeanAndDeviationOf(point.epoch_seconds()).mean; }

proto::Cell SpeedupAt(const ScalingView& view, uint32_t ranks, uint32_t batch) {
  const proto::ScalingRow* const row = view.Row(ranks, batch);
  return row == nullptr ? AbsentCell(view.RowReason(ranks, batch)) : SpeedupCell(row->epoch_speedup());
}

proto::Table CompareTable(const ScalingView& dp, const ScalingView* ddp) {
  proto::Table table =
      MakeTable(absl::StrCat("DataParallel compared with DDP: ", dp.Title()),
                {"devices N", dp.global_batch() ? "global batch" : "batch per device B", "DataParallel, epoch, s",
                 "DDP, epoch, s", "DataParallel / DDP", "E_1(B) / E_N(B), DataParallel", "E_1(B) / E_N(B), DDP"});
  for (const uint32_t ranks : dp.Ranks()) {
    for (const uint32_t batch : dp.Batches()) {
      const proto::ScalePoint* const star = dp.Point(ranks, batch, proto::STAR);
      const proto::ScalePoint* const reduced = ddp == nullptr ? nullptr : ddp->Point(ranks, batch, proto::ALL_REDUCE);
      if (star == nullptr) {
        continue;
      }
      const char* const no_ddp = "no scale.rec of --mode=ddp with the same model, step and devices among the inputs";
      AddRow(table,
             {LabelCell(absl::StrCat(ranks)), LabelCell(FormatCount(batch)), EpochCell(star),
              ddp == nullptr ? AbsentCell(no_ddp) : EpochCell(reduced),
              IsTimed(star) && IsTimed(reduced) && Mean(*reduced) > 0
                  ? NumberCell(Mean(*star) / Mean(*reduced), proto::DERIVED, "quotient of the mean epoch times", 4)
                  : AbsentCell("needs both times"),
              ranks == 1 ? AbsentCell(kBase) : SpeedupAt(dp, ranks, batch),
              ranks == 1       ? AbsentCell(kBase)
              : ddp == nullptr ? AbsentCell(no_ddp)
                               : SpeedupAt(*ddp, ranks, batch)});
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason("no point of DataParallel in the record");
  }
  AddMethodNotes(table);
  if (ddp != nullptr) {
    table.add_note(absl::StrCat("DDP: ", ddp->Title(),
                                ". On one device, neither moves data: the times are the costs of each ", "by itself."));
  }
  return table;
}

enum class Work { kComputes, kMovesData };

struct StarPart {
  const char* name;
  const proto::Samples& (proto::StarTimes::*seconds)() const;
  Work work;
};
constexpr StarPart kParts[] = {{"replicate", &proto::StarTimes::replicate_seconds, Work::kMovesData},
                               {"scatter", &proto::StarTimes::scatter_seconds, Work::kMovesData},
                               {"forward", &proto::StarTimes::forward_seconds, Work::kComputes},
                               {"gather", &proto::StarTimes::gather_seconds, Work::kMovesData},
                               {"loss", &proto::StarTimes::loss_seconds, Work::kComputes},
                               {"gradients of outputs", &proto::StarTimes::output_gradient_seconds, Work::kMovesData},
                               {"backward", &proto::StarTimes::backward_seconds, Work::kComputes},
                               {"reduce", &proto::StarTimes::reduce_seconds, Work::kMovesData},
                               {"update", &proto::StarTimes::update_seconds, Work::kComputes}};

proto::Table PartsTable(const ScalingView& dp) {
  proto::Table table = MakeTable(absl::StrCat("Where a DataParallel step goes, ms, on device 0: ", dp.Title()),
                                 {"devices N", "batch per device B"});
  for (const StarPart& part : kParts) {
    table.add_column(part.name);
  }
  table.add_column("moving, % of the step");
  for (const proto::ScalePoint* const point : dp.points) {
    if (!point->has_star() || point->outcome() != proto::COMPLETED || point->steps_per_epoch() == 0) {
      continue;
    }
    std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(point->ranks())),
                                      LabelCell(FormatCount(point->batch_per_device()))};
    double moving = 0;
    for (const StarPart& part : kParts) {
      const proto::Samples& seconds = (point->star().*part.seconds)();
      cells.push_back(SamplesCell(seconds, kMilliseconds.scale / point->steps_per_epoch()));
      moving += part.work == Work::kMovesData ? MeanAndDeviationOf(seconds).mean : 0;
    }
    const double steps = MeanAndDeviationOf(point->step_seconds()).mean;
    cells.push_back(steps > 0 ? NumberCell(kPercent.scale * moving / steps, proto::DERIVED,
                                           "the five moving parts / epoch without loading", 3)
                              : AbsentCell("the step's time is not in the record"));
    AddRow(table, cells);
  }
  if (table.row().empty()) {
    table.set_absent_reason("no point of the record has times of its parts");
  }
  AddMethodNotes(table);
  table.add_note(
      "Means over the steps of each timed epoch. Moving: replicate, scatter, gather, gradients of outputs and "
      "reduce.");
  return table;
}

// Returns counted minus formula, if both quantities have a value.
proto::Cell DifferenceCell(const proto::Quantity& counted, const proto::Quantity& formula) {
  if (!counted.has_value() || !formula.has_value()) {
    return AbsentCell(counted.has_value() ? formula.absent_reason() : counted.absent_reason());
  }
  return BytesCell(counted.value() - formula.value(), proto::DERIVED, "counted - formula");
}

// Returns a model's error. A negative one gets no remark, because a model may be too low.
proto::Cell ErrorCell(const proto::Quantity& error) {
  return error.has_value() ? NumberCell(kPercent.scale * error.value(), proto::DERIVED, "modelled / measured - 1", 3)
                           : AbsentCell(error.absent_reason());
}

proto::Table StarTable(const ScalingView& dp) {
  const std::string formula = HeadingOf("formula", kMegabytes), counted = HeadingOf("counted", kMegabytes);
  proto::Table table =
      MakeTable(absl::StrCat("The star's formula and its run, of a step on device 0: ", dp.Title()),
                {"devices N", "batch per device B", formula, counted, "difference, bytes", formula, counted,
                 "difference, bytes", HeadingOf("modelled", kMilliseconds), HeadingOf("measured", kMilliseconds),
                 HeadingOf("error", kPercent), HeadingOf("of the step", kPercent), kGigabytesPerSecond.name});
  for (const auto& [title, columns] :
       {std::pair<const char*, uint32_t>{"", 2}, {"sent", 3}, {"received", 3}, {"busy moving", 5}}) {
    proto::ColumnGroup& group = *table.add_column_group();
    group.set_title(title);
    group.set_columns(columns);
  }
  for (const proto::StarRow* const star : dp.stars) {
    AddRow(table, {LabelCell(absl::StrCat(star->ranks())), LabelCell(FormatCount(star->batch_per_device())),
                   QuantityCell(star->formula_sent_bytes(), kMegabytes.scale),
                   QuantityCell(star->counted_sent_bytes(), kMegabytes.scale),
                   DifferenceCell(star->counted_sent_bytes(), star->formula_sent_bytes()),
                   QuantityCell(star->formula_received_bytes(), kMegabytes.scale),
                   QuantityCell(star->counted_received_bytes(), kMegabytes.scale),
                   DifferenceCell(star->counted_received_bytes(), star->formula_received_bytes()),
                   QuantityCell(star->modelled_busy_seconds(), kMilliseconds.scale),
                   QuantityCell(star->measured_busy_seconds(), kMilliseconds.scale), ErrorCell(star->relative_error()),
                   QuantityCell(star->busy_share(), kPercent.scale),
                   QuantityCell(star->bytes_per_second(), kGigabytesPerSecond.scale)});
  }
  if (table.row().empty()) {
    table.set_absent_reason(dp.comm_model == nullptr
                                ? dp.RowReason(0, 0)
                                : absl::StrCat(dp.comm_model->name(), " has no row of DataParallel's star"));
    table.clear_column_group();
    return table;
  }
  AddMethodNotes(table);
  table.add_note(
      "If the difference of bytes sent is the same at every batch, it is batch norm's buffers, which are sent with the "
      "parameters and are not in the formula. The formula is an upper bound if N does not divide a batch.");
  return table;
}

std::string StarTrafficText(const proto::StarRow& star) {
  const proto::Quantity& sent = star.counted_sent_bytes();
  const proto::Quantity& received = star.counted_received_bytes();
  if (!sent.has_value() || !received.has_value()) {
    return "";
  }
  const std::string error =
      star.relative_error().has_value()
          ? absl::StrCat("; the star's formula gives ", FormatQuantity(star.modelled_busy_seconds(), kMilliseconds),
                         " (", FormatNumber(kPercent.scale * star.relative_error().value(), 3), " % error)")
          : "";
  return absl::StrCat(" At batch ", star.batch_per_device(), " per device, device 0 sends ", FormatBytes(sent.value()),
                      " and receives ", FormatBytes(received.value()),
                      " in each step (the formula: ", FormatBytes(star.formula_sent_bytes().value()), " and ",
                      FormatBytes(star.formula_received_bytes().value()), " without batch norm's buffers), for ",
                      FormatQuantity(star.measured_busy_seconds(), kMilliseconds), ", ",
                      FormatQuantity(star.busy_share(), kPercent), " of the step", error, ".");
}

// Answers for the largest number of devices, for each batch that both ran.
proto::Claim Answer(const LabRecords& lab, const ScalingView& dp, const ScalingView* ddp) {
  std::vector<std::string> parts;
  const std::vector<uint32_t> ranks = dp.Ranks();
  const uint32_t max_ranks = ranks.empty() ? 0 : ranks.back();
  for (const uint32_t batch : dp.Batches()) {
    const proto::ScalePoint* const star = dp.Point(max_ranks, batch, proto::STAR);
    const proto::ScalePoint* const reduced = ddp == nullptr ? nullptr : ddp->Point(max_ranks, batch, proto::ALL_REDUCE);
    if (IsTimed(star) && IsTimed(reduced) && Mean(*reduced) > 0) {
      parts.push_back(absl::StrCat(FormatNumber(Mean(*star) / Mean(*reduced), 3), " times as long as by DDP at ",
                                   dp.BatchTitle(batch), " (", FormatNumber(Mean(*star), 3), " s against ",
                                   FormatNumber(Mean(*reduced), 3), " s)"));
    }
  }
  if (parts.empty() || max_ranks < 2) {
    return NotClaimed(
        "", kAsked,
        absl::StrCat("needs both on the same devices with the same batches; ", DataParallelText(FactsOfDataset(lab))));
  }
  std::string star_text;
  std::vector<std::string> sources = {absl::StrCat("scale.point[ranks=", max_ranks, "].epoch_seconds")};
  for (const proto::StarRow* const star : dp.stars) {
    if (star->ranks() == max_ranks && star_text.empty()) {
      star_text = StarTrafficText(*star);
      sources.push_back(absl::StrCat("comm_model.star[ranks=", max_ranks, "].counted_sent_bytes"));
      sources.push_back(absl::StrCat("comm_model.star[ranks=", max_ranks, "].measured_busy_seconds"));
      sources.push_back(absl::StrCat("comm_model.star[ranks=", max_ranks, "].modelled_busy_seconds"));
    }
  }
  const std::string all_reduce = absl::StrCat(
      " An all-reduce sends ",
      FormatBytes(2.0 * (max_ranks - 1) / max_ranks * static_cast<double>(dp.scale->spec.model().gradient_bytes())),
      " from every device at the same time, during the backward pass; the star's phases run between the "
      "passes, and grow with N.");
  return Claimed("", kAsked,
                 absl::StrCat("On ", max_ranks, " devices, an epoch by DataParallel takes ", JoinAnd(parts), ".",
                              star_text, star_text.empty() ? "" : all_reduce),
                 sources);
}

}  // namespace

proto::Section DataParallelSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("data_parallel");
  section.set_title("DataParallel or DDP");
  const std::vector<ScalingView> views = ScalingViews(lab);
  for (const ScalingView& view : views) {
    if (!view.data_parallel() || view.scale == nullptr) {
      continue;
    }
    const ScalingView* const ddp = FindDdp(views, view);
    *section.add_claim() = Answer(lab, view, ddp);
    *section.add_table() = CompareTable(view, ddp);
    *section.add_table() = PartsTable(view);
    *section.add_table() = StarTable(view);
  }
  if (section.table().empty()) {
    proto::Table& table = *section.add_table() = MakeTable("DataParallel compared with DDP", {});
    table.set_absent_reason(
        absl::StrCat("no scale.rec of DataParallel among the inputs; ", DataParallelText(FactsOfDataset(lab))));
  }
  return section;
}

}  // namespace lockstep
