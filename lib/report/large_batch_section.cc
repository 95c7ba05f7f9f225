#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/report/cell.h"
#include "lib/report/describe.h"
#include "lib/report/large_batch.h"
#include "lib/report/sections.h"

namespace lockstep {
namespace {

constexpr double kPercent = 100;

proto::Cell EpochsCell(const ExperimentRow& row) {
  return row.trained.empty() ? AbsentCell(row.Values(LabLoss).absent_reason())
                             : CountCell(static_cast<uint64_t>(row.first().epoch_size()), proto::MEASURED, "");
}

proto::Cell UpdatesCell(const ExperimentRow& row) {
  return row.trained.empty() ? AbsentCell(row.Values(LabLoss).absent_reason())
                             : CountCell(Updates(row.first()), proto::DERIVED, "steps of an epoch x epochs");
}

proto::Table RowsTable(const ExperimentView& view) {
  const std::string epoch = view.EpochName();
  proto::Table table = MakeTable(absl::StrCat("Large batches: ", view.Title()),
                                 {"global batch, remedy", "seeds", "epochs", "updates", absl::StrCat("loss, ", epoch),
                                  absl::StrCat("train accuracy, ", epoch, ", %"), "test accuracy, %", "training, s"});
  for (const ExperimentRow& row : view.rows) {
    AddRow(table, {LabelCell(row.name), LabelCell(row.SeedsText()), EpochsCell(row), UpdatesCell(row),
                   SeedsCell(row.Values(LabLoss)), SeedsCell(row.Values(LabTrainAccuracy), true),
                   SeedsCell(row.Values(TestAccuracy), true), SeedsCell(row.Values(TrainingSeconds))});
  }
  AddMethodNotes(table);
  table.add_note(
      "Loss and train accuracy are the mean over the epoch's images while training; the test accuracy is taken after "
      "the "
      "last epoch.");
  table.add_note(absl::StrCat("Recipe of every row but for its remedy: ", DescribeRecipe(view.scale->spec.training()),
                              " and on; ", DescribePrecision(view.scale->spec.training().precision()), "."));
  return table;
}

// Points of accuracy above the row without a remedy.
proto::Cell GainCell(const LargeBatchView& large, const ExperimentRow& row, const ExperimentRow* none) {
  const proto::Samples values = large.Accuracies(row);
  const proto::Samples without = none != nullptr ? large.Accuracies(*none) : proto::Samples();
  if (values.value().empty() || without.value().empty()) {
    return AbsentCell("the row or the one without a remedy was not trained");
  }
  const double gain = kPercent * (MeanOf(values) - MeanOf(without));
  proto::Cell cell = NumberCell(gain, proto::DERIVED, "difference of the means over seeds");
  cell.set_text(absl::StrFormat("%+.2f", gain));  // hundredths, as the accuracies
  return cell;
}

// How much of what the large batch cost the remedy brings back.
proto::Cell RepairedCell(const LargeBatchView& large, const ExperimentRow& row, const ExperimentRow* none) {
  if (none == nullptr || none->trained.empty() || large.base == nullptr || large.base->trained.empty()) {
    return AbsentCell("needs the base batch and the large one as it is");
  }
  const double plain = MeanOf(large.Accuracies(*none)), base = MeanOf(large.Accuracies(*large.base));
  const proto::Samples values = large.Accuracies(row);
  if (values.value().empty() || !(base > plain)) {
    return AbsentCell(values.value().empty() ? values.absent_reason() : "the large batch costs no accuracy here");
  }
  const double share = kPercent * (MeanOf(values) - plain) / (base - plain);
  proto::Cell cell =
      NumberCell(share, proto::DERIVED, "(remedy - none) / (base batch - none), of the means over seeds");
  cell.set_text(absl::StrFormat("%.1f", share));
  return cell;
}

// What the remedy changes of the recipe of the row without one.
std::string ChangeText(const RemedyRows& rows, const ExperimentRow* plain) {
  if (rows.remedy == kNoRemedy) {
    return "as the base batch is trained";
  }
  const ExperimentRow& any = rows.equal != nullptr ? *rows.equal : *rows.longer;
  return plain == nullptr ? "not known" : DescribeChange(plain->first().training(), any.first().training());
}

void AddEqual(const LargeBatchView& large, const RemedyRows& rows, const ExperimentRow* plain,
              std::vector<proto::Cell>& cells) {
  if (rows.equal == nullptr) {
    cells.insert(cells.end(), 3, AbsentCell("the record has no such row"));
    return;
  }
  const bool is_none = rows.remedy == kNoRemedy;
  cells.push_back(SeedsCell(large.Accuracies(*rows.equal), true));
  cells.push_back(is_none ? LabelCell("(compared with)") : GainCell(large, *rows.equal, plain));
  cells.push_back(is_none ? LabelCell("(compared with)") : RepairedCell(large, *rows.equal, plain));
}

void AddLonger(const LargeBatchView& large, const RemedyRows& rows, const ExperimentRow* plain,
               std::vector<proto::Cell>& cells) {
  if (rows.longer == nullptr) {
    cells.insert(cells.end(), 3, AbsentCell("longer training is a row of none and of all remedies"));
    return;
  }
  cells.push_back(EpochsCell(*rows.longer));
  cells.push_back(SeedsCell(large.Accuracies(*rows.longer), true));
  cells.push_back(RepairedCell(large, *rows.longer, plain));
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
    for (const RemedyRows& rows : batch.remedies) {
      std::vector<proto::Cell> cells = {LabelCell(FormatCount(batch.global_batch)), LabelCell(rows.remedy),
                                        LabelCell(ChangeText(rows, plain))};
      AddEqual(large, rows, plain, cells);
      if (has_longer) {
        AddLonger(large, rows, plain, cells);
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
  if (large.base != nullptr) {
    table.add_note(absl::StrCat("The base batch, ", FormatCount(large.base->first().global_batch()), ": ",
                                SaySeeds(large.Accuracies(*large.base), true), " in ",
                                FormatCount(Updates(large.base->first())), " updates. 100 % brought back is as good."));
  }
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
    *section.add_table() = MissingExperiment("Large batches", proto::LARGE_BATCH);
  }
  return section;
}

}  // namespace lockstep
