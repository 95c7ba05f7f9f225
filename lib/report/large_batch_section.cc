#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/lab_records/large_batch.h"
#include "lib/report/sections.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

proto::Cell EpochsCell(const ExperimentRow& row) {
  return row.trained.empty() ? AbsentCell(row.Values(LabLoss).absent_reason())
                             : CountCell(static_cast<uint64_t>(row.first().epoch_size()), proto::MEASURED, "");
}

proto::Cell UpdatesCell(const ExperimentRow& row) {
  return row.trained.empty() ? AbsentCell(row.Values(LabLoss).absent_reason())
                             : CountCell(Updates(row.first()), proto::DERIVED, "steps of an epoch x epochs");
}

bool HasValidation(const ExperimentView& view) {
  return std::any_of(view.rows.begin(), view.rows.end(),
                     [](const ExperimentRow& row) { return !row.Values(ValidationAccuracy).value().empty(); });
}

proto::Table RowsTable(const ExperimentView& view) {
  const std::string epoch = view.EpochName();
  const bool validated = HasValidation(view);
  std::vector<std::string> columns = {"global batch, remedy",
                                      "seeds",
                                      "epochs",
                                      "updates",
                                      absl::StrCat("loss, ", epoch),
                                      absl::StrCat("train accuracy, ", epoch, ", %")};
  columns.insert(columns.end(), validated ? 1 : 0, "validation accuracy, %");
  columns.insert(columns.end(), {"test accuracy, %", "training, s"});
  proto::Table table = MakeTable(absl::StrCat("Large batches: ", view.Title()), columns);
  for (const ExperimentRow& row : view.rows) {
    std::vector<proto::Cell> cells = {
        LabelCell(row.name), LabelCell(row.SeedsText()),     EpochsCell(row),
        UpdatesCell(row),    SeedsCell(row.Values(LabLoss)), SeedsPercentCell(row.Values(LabTrainAccuracy))};
    if (validated) {
      cells.push_back(SeedsPercentCell(row.Values(ValidationAccuracy)));
    }
    cells.push_back(SeedsPercentCell(row.Values(TestAccuracy)));
    cells.push_back(SeedsCell(row.Values(TrainingSeconds)));
    AddRow(table, cells);
  }
  AddMethodNotes(table);
  table.add_note(
      "Loss and train accuracy are means over the epoch's images during training; the test accuracy is measured after "
      "the last epoch.");
  if (validated) {
    table.add_note(absl::StrCat("Validation accuracy, also after the last epoch: on ",
                                FormatCount(view.scale->spec.training().validation_images()),
                                " training images that no row was trained on. A remedy is chosen by it."));
  }
  table.add_note(absl::StrCat("Recipe of every row but for its remedy: ", DescribeRecipe(view.scale->spec.training()),
                              " and on; ", DescribePrecision(view.scale->spec.training().precision()), "."));
  return table;
}

// Returns the gain in points of accuracy over the row without a remedy.
proto::Cell GainCell(const RemedyVerdict& verdict) {
  if (!verdict.gain.has_value()) {
    return AbsentCell(verdict.no_gain);
  }
  proto::Cell cell = NumberCell(kPercent.scale * *verdict.gain, proto::DERIVED, "difference of the means over seeds");
  cell.set_text(absl::StrFormat("%+.2f", kPercent.scale * *verdict.gain));  // hundredths, like the accuracies
  return cell;
}

// Returns the share of the large batch's loss of accuracy that the remedy restores.
proto::Cell BroughtBackCell(const RemedyVerdict& verdict) {
  if (!verdict.brought_back.has_value()) {
    return AbsentCell(verdict.not_brought_back);
  }
  const double share = kPercent.scale * *verdict.brought_back;
  proto::Cell cell = NumberCell(share, proto::DERIVED,
                                "(remedy - none) / (base batch with the remedy's schedule - none), of the means over "
                                "seeds of rows with as many epochs");
  cell.set_text(absl::StrFormat("%.1f", share));
  return cell;
}

// Returns the changes of the recipe compared with the row without a remedy.
std::string ChangeText(const RemedyRows& rows, const ExperimentRow* plain) {
  if (rows.remedy == kNoRemedy) {
    return "as the base batch is trained";
  }
  const ExperimentRow& any = rows.equal != nullptr ? *rows.equal : *rows.longer;
  return plain == nullptr ? "not known" : DescribeChange(plain->first().training(), any.first().training());
}

using VerdictCell = proto::Cell (*)(const RemedyVerdict&);

// Adds the accuracy of a row, and these cells of its verdict.
void AddRowCells(const LargeBatchView& large, const ExperimentRow& row, const RemedyVerdict* verdict,
                 const std::vector<VerdictCell>& of_verdict, std::vector<proto::Cell>& cells) {
  cells.push_back(SeedsPercentCell(large.Accuracies(row)));
  for (const VerdictCell cell : of_verdict) {
    cells.push_back(verdict == nullptr ? LabelCell("(compared with)") : cell(*verdict));
  }
}

void AddEqual(const LargeBatchView& large, const RemedyRows& rows, const std::vector<RemedyVerdict>& verdicts,
              std::vector<proto::Cell>& cells) {
  if (rows.equal == nullptr) {
    cells.insert(cells.end(), 3, AbsentCell("the record has no such row"));
    return;
  }
  AddRowCells(large, *rows.equal, FindVerdict(verdicts, *rows.equal), {GainCell, BroughtBackCell}, cells);
}

void AddLonger(const LargeBatchView& large, const RemedyRows& rows, const std::vector<RemedyVerdict>& verdicts,
               std::vector<proto::Cell>& cells) {
  if (rows.longer == nullptr) {
    cells.insert(cells.end(), 3, AbsentCell("longer training is a row of none and of all remedies"));
    return;
  }
  cells.push_back(EpochsCell(*rows.longer));
  AddRowCells(large, *rows.longer, FindVerdict(verdicts, *rows.longer), {BroughtBackCell}, cells);
}

bool HasLonger(const LargeBatchView& large) {
  for (const LargeBatchRows& batch : large.batches) {
    for (const RemedyRows& rows : batch.remedies) {
      if (rows.longer != nullptr) {
        return true;
      }
    }
  }
  return false;
}

void AddGroup(const char* title, const std::vector<std::string>& columns, proto::Table& table) {
  proto::ColumnGroup& group = *table.add_column_group();
  group.set_title(title);
  group.set_columns(static_cast<uint32_t>(columns.size()));
  table.mutable_column()->Add(columns.begin(), columns.end());
}

// Returns "clipping and ghost batch norm (a combination)".
std::string RemedyName(const RemedyRows& rows) {
  return absl::StrCat(rows.remedy, IsCombination(rows.remedy) && rows.remedy != "all" ? " (a combination)" : "");
}

void AddBaseNotes(const LargeBatchView& large, proto::Table& table) {
  for (const ExperimentRow* base : large.bases) {
    table.add_note(absl::StrCat("Base batch, row ", base->name, ": ", FormatPercents(large.Accuracies(*base)), " in ",
                                FormatCount(Updates(base->first())), " updates."));
  }
  table.add_note(
      "100 % brought back means as good as the base batch with the same schedule and number of epochs. A difference is "
      "shown if Welch's t-test over seeds finds it significant at 95 %, with Holm's correction for the rows of a "
      "batch.");
}

proto::Table RemediesTable(const ExperimentView& view) {
  const LargeBatchView large = MakeLargeBatchView(view);
  const std::string accuracy = absl::StrCat(large.AccuracyName(), ", %");
  const bool has_longer = HasLonger(large);
  proto::Table table = MakeTable(absl::StrCat("What each remedy brings back: ", view.Title()), {});
  AddGroup("", {"global batch", "remedy", "what it changes"}, table);
  AddGroup("equal epochs", {accuracy, "against none, points", "brought back, %"}, table);
  if (has_longer) {
    AddGroup("about as many updates as the base batch", {"epochs", accuracy, "brought back, %"}, table);
  }
  for (const LargeBatchRows& batch : large.batches) {
    const RemedyRows* const none = batch.Find(kNoRemedy);
    const ExperimentRow* const plain = none != nullptr ? none->equal : nullptr;
    const std::vector<RemedyVerdict> verdicts = JudgeRemedies(large, batch);
    for (const RemedyRows& rows : batch.remedies) {
      std::vector<proto::Cell> cells = {LabelCell(FormatCount(batch.global_batch)), LabelCell(RemedyName(rows)),
                                        LabelCell(ChangeText(rows, plain))};
      AddEqual(large, rows, verdicts, cells);
      if (has_longer) {
        AddLonger(large, rows, verdicts, cells);
      }
      AddRow(table, cells);
    }
  }
  if (table.row().empty()) {
    table.set_absent_reason("the record has no row of a batch larger than its first");
    table.clear_column_group();
    return table;
  }
  AddMethodNotes(table);
  AddBaseNotes(large, table);
  return table;
}

}  // namespace

proto::Section LargeBatchSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("large_batch");
  section.set_title("Large batches and their remedies (Q4)");
  for (const ExperimentView& view : ExperimentViews(lab, proto::LARGE_BATCH)) {
    *section.add_table() = RowsTable(view);
    *section.add_table() = RemediesTable(view);
  }
  if (section.table().empty()) {
    *section.add_table() = MissingExperiment(lab, "Large batches", proto::LARGE_BATCH);
  }
  return section;
}

}  // namespace lockstep
