#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/networks/optimizers.h"
#include "lib/report/sections.h"
#include "lib/scaling/point_settings.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

std::optional<double> EpochSeconds(const proto::ScalePoint& point) {
  const std::optional<double> training = TrainingSeconds(point);
  return training.has_value() && point.epoch_size() > 0 ? std::optional(*training / point.epoch_size()) : std::nullopt;
}

proto::Table OptimizersTable(const ExperimentView& view) {
  proto::Table table =
      MakeTable(absl::StrCat("Optimizers: ", view.Title()),
                {"optimizer", "learning rate", "seeds", "an epoch, s", absl::StrCat("loss, ", view.EpochName()),
                 absl::StrCat("train accuracy, ", view.EpochName(), ", %"), "test accuracy, %"});
  for (const ExperimentRow& row : view.rows) {
    const proto::TrainingSpec& training = TrainingOf(view.scale->spec, row.first());
    AddRow(table,
           {LabelCell(OptimizerTitle(training.optimizer())), LabelCell(FormatNumber(training.learning_rate(), 3)),
            LabelCell(row.SeedsText()), SeedsCell(row.Values(EpochSeconds)), SeedsCell(row.Values(LabLoss)),
            SeedsPercentCell(row.Values(LabTrainAccuracy)), SeedsPercentCell(row.Values(TestAccuracy))});
  }
  AddMethodNotes(table);
  table.add_note("An epoch: mean over the epochs of a training, without evaluations; then mean and range over seeds.");
  return table;
}

}  // namespace

proto::Section OptimizersSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("optimizers");
  section.set_title("Optimizers");
  for (const ExperimentView& view : ExperimentViews(lab, proto::OPTIMIZERS)) {
    *section.add_table() = OptimizersTable(view);
  }
  return section;
}

}  // namespace lockstep
