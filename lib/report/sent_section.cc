#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/networks/networks.h"
#include "lib/report/sections.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/sent.h"

namespace lockstep {
namespace {

void AddKind(const ExperimentRow& row, const proto::Traffic& traffic, proto::Table& table) {
  const std::optional<double> step = BytesPerStep(traffic);
  const std::optional<double> gradients = BytesPerStep(row.first(), kGradientsKind);
  const char* const once = "not sent in steps";
  AddRow(
      table,
      {LabelCell(row.name), LabelCell(traffic.kind()),
       CountCell(traffic.calls(), proto::MEASURED, "counted at the calls of rank 0, over all epochs"),
       CountCell(traffic.size_bytes(), proto::MEASURED, "counted at the calls of rank 0, over all epochs"),
       step.has_value() ? BytesCell(*step, proto::DERIVED, "bytes / steps") : AbsentCell(once),
       step.has_value() && gradients.value_or(0) > 0
           ? NumberCell(kPercent.scale * *step / *gradients, proto::DERIVED, "bytes a step / those of the gradients", 3)
           : AbsentCell(once),
       traffic.busy_seconds() > 0
           ? NumberCell(traffic.busy_seconds(), proto::MEASURED, "all epochs, waits for slower ranks included")
           : AbsentCell("not timed by kind")});
}

proto::Table BytesTable(const ExperimentView& view) {
  proto::Table table =
      MakeTable(absl::StrCat("What rank 0 sends: ", view.Title()),
                {"buffers", "kind", "calls", "bytes in all", "bytes a step", "of the gradients, %", "busy, s"});
  for (const ExperimentRow& row : view.rows) {
    for (const proto::Traffic* traffic : GradientsFirst(row.first())) {
      AddKind(row, *traffic, table);
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason("no point has counts of the bytes sent");
    return table;
  }
  AddMethodNotes(table);
  table.add_note(
      "Bytes passed to the calls, of the first seed; for the bytes that an all-reduce sends per step, see "
      "\"Utilisation of the link\".");
  return table;
}

proto::Table AccuracyTable(const ExperimentView& view) {
  proto::Table table = MakeTable(
      absl::StrCat("Is it enough to send gradients: ", view.Title()),
      {"buffers", "seeds", "epochs", "batch norm counts over, images", absl::StrCat("loss, ", view.EpochName()),
       absl::StrCat("train accuracy, ", view.EpochName(), ", %"), "test accuracy, %", "training, s"});
  for (const ExperimentRow& row : view.rows) {
    const proto::ScalePoint& first = row.first();
    AddRow(table,
           {LabelCell(row.name), LabelCell(row.SeedsText()),
            row.trained.empty() ? AbsentCell(row.Values(LabLoss).absent_reason())
                                : CountCell(static_cast<uint64_t>(first.epoch_size()), proto::MEASURED, ""),
            !HasBatchNorm(view.scale->spec.training().model()) ? AbsentCell("the network has no batch norm")
            : first.batch_norm_images() > 0 ? CountCell(first.batch_norm_images(), proto::MEASURED, "in a full step")
                                            : AbsentCell("not in the record"),
            SeedsCell(row.Values(LabLoss)), SeedsPercentCell(row.Values(LabTrainAccuracy)),
            SeedsPercentCell(row.Values(TestAccuracy)), SeedsCell(row.Values(TrainingSeconds))});
  }
  AddMethodNotes(table);
  return table;
}

}  // namespace

proto::Section SentSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("sent");
  section.set_title("What is sent, and what is enough (Q6, Q7)");
  for (const ExperimentView& view : ExperimentViews(lab, proto::WHAT_IS_SENT)) {
    *section.add_table() = BytesTable(view);
    *section.add_table() = AccuracyTable(view);
  }
  if (section.table().empty()) {
    *section.add_table() = MissingExperiment(lab, "What is sent", proto::WHAT_IS_SENT);
  }
  return section;
}

}  // namespace lockstep
