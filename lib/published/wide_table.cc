#include "lib/published/wide_table.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/repeated_field.h"
#include "lib/base/status_macros.h"
#include "lib/published/left_out_names.h"
#include "lib/published/number_labels.h"
#include "lib/published/published_check.h"
#include "lib/published/published_unit.h"
#include "lib/published/quantity_unit.h"
#include "lib/published/table_cell.h"
#include "lib/published/table_label.h"
#include "lib/published/table_names.h"
#include "lib/published/table_numbers.h"
#include "lib/published/table_remarks.h"

namespace lockstep {
namespace {

std::string NameOf(proto::PublishedQuantity quantity) {
  return absl::AsciiStrToLower(proto::PublishedQuantity_Name(quantity));
}

// Returns the unit that an error proposes. Efficiencies in per cent are far above 1.2, so a
// smaller number is probably a fraction; the author decides by writing the unit.
absl::string_view ExampleUnit(proto::PublishedQuantity quantity, const std::string& digits) {
  constexpr double kMaxFraction = 1.2;
  double value = 0;
  return quantity == proto::EFFICIENCY_PERCENT && absl::SimpleAtod(digits, &value) && value <= kMaxFraction
             ? "fraction"
             : UnitOf(quantity);
}

OnlyBatches OnlyBatchesOf(const TableNames& names) {
  std::vector<const TableLabel*> columns, rows;
  for (const TableColumn& column : names.columns) {
    columns.push_back(&column.label);
  }
  for (const TableLabel& row : names.rows) {
    rows.push_back(&row);
  }
  return {OnlyBatch(columns), OnlyBatch(rows)};
}

// Reads the tables of a file in their order.
class WideTableReader {
 public:
  WideTableReader(CommaMeaning comma, TableFaults& faults) : comma_(comma), faults_(faults) {}

  void Read(const TableBlock& block) {
    for (const TableRemark& remark : block.remarks) {
      if (const absl::Status status = remarks_.Read(remark, tables_); !status.ok()) {
        faults_.Add(remark.line, status.message());
      }
    }
    if (!block.rows.empty()) {
      ReadTable(block);
    }
  }

  proto::PublishedTables Finish() {
    if (tables_.source().empty()) {
      faults_.Add(1, "the source is not stated; add `# source: TITLE, ADDRESS` above the table");
    }
    if (tables_.table().empty() && faults_.empty()) {
      faults_.Add(1, "no cell has a number; fill in at least one");
    }
    return std::move(tables_);
  }

  // Returns the line of every number of the result of Finish.
  const NumberLines& lines() const { return numbers_.lines(); }

 private:
  // Counts the cells of a table. Adds an error if there are too many, or too few rows.
  bool HasUsableSize(const TableBlock& block, size_t width) {
    cells_ += width * block.rows.size();
    if (block.rows.size() >= 2 && cells_ <= kMaxTableCells) {
      return true;
    }
    faults_.Add(block.rows[0].line,
                absl::StrCat("a table needs a row of names, rows of numbers below it, and a file at most ",
                             kMaxTableCells, " cells"));
    return false;
  }

  void ReadTable(const TableBlock& block) {
    ++tables_read_;
    absl::string_view title = block.title;
    const std::string named = TakeTableName(title);
    TableLabel title_label = ParseTableLabel(title);
    if (title_label.contradicts) {
      title_label = {};
    }
    size_t width = 0;
    for (const TableRow& row : block.rows) {
      width = std::max(width, row.cells.size());
    }
    if (!HasUsableSize(block, width)) {
      return;
    }
    StatedAxes axes = remarks_.axes();
    axes.title = title_label.axes;
    const TableNames names = ReadTableNames(block, comma_, axes, left_out_, faults_);
    only_batches_ = OnlyBatchesOf(names);
    const std::string automatic = named.empty() ? absl::StrCat("Table ", tables_read_) : named;
    const std::string& name = remarks_.table_name().empty() ? automatic : remarks_.table_name();
    for (size_t row = 0; row < names.rows.size(); ++row) {
      const bool is_usable = names.rows[row].number == 0 && !names.rows[row].is_unused;
      for (size_t column = 0; column < width && is_usable; ++column) {
        if (!names.columns[column].names_rows && names.columns[column].is_usable) {
          ReadCell(block, row + names.header_rows, column,
                   {&names.columns[column].label, &names.rows[row], &names.corner, &title_label, &remarks_.label()},
                   name);
        }
      }
    }
    KeepLeftOut(name, block.rows[0].line);
  }

  // Makes the names that the last table leaves out a part of the table with name `name`.
  void KeepLeftOut(const std::string& name, int line) {
    std::vector<proto::LeftOutName> left_out = left_out_.Take();
    if (left_out.empty()) {
      return;
    }
    for (proto::PublishedTable& table : *tables_.mutable_table()) {
      if (table.name() == name) {
        std::move(left_out.begin(), left_out.end(),
                  google::protobuf::RepeatedFieldBackInserter(table.mutable_left_out()));
        return;
      }
    }
    faults_.Add(line, "no number is left in the table, because names of its rows and columns are not understood");
  }

  void ReadCell(const TableBlock& block, size_t row, size_t column, const NumberLabels& labels,
                const std::string& table) {
    const absl::string_view text = CellAt(block, row, column);
    line_ = block.rows[row].line;
    const absl::StatusOr<TableCell> cell = ParseTableCell(text, comma_);
    if (!cell.ok()) {
      faults_.Add(line_, absl::StrCat("column ", column + 1, ": ", cell.status().message()), text);
      return;
    }
    if (cell->digits.empty()) {
      return;
    }
    if (const absl::Status status = AddValue(*cell, labels, table); !status.ok()) {
      faults_.Add(line_, status.message());
    }
  }

  absl::Status AddValue(const TableCell& cell, const NumberLabels& labels, const std::string& table) {
    TableLabel own = *labels[1];
    AddToLabel(*labels[0], own);
    if (own.contradicts) {
      return absl::InvalidArgumentError("the names of row and column contradict each other; state each thing once");
    }
    if (own.is_epoch_size) {
      return StateEpochSize(cell, own);
    }
    proto::PublishedValue value = remarks_.value();
    ASSIGN_OR_RETURN(const proto::PublishedQuantity quantity, QuantityOf(own, labels));
    if (quantity == proto::RUN_SECONDS) {
      RETURN_IF_ERROR(StateEpochs(own, labels));
    }
    RETURN_IF_ERROR(StateBatchKind(own, labels));
    const std::string unit = UnitOfNumber(cell, own, labels, quantity);
    if (unit.empty() && NeedsUnit(quantity)) {
      const absl::string_view example = ExampleUnit(quantity, cell.digits);
      return absl::InvalidArgumentError(absl::StrCat("the unit of ", NameOf(quantity),
                                                     " is not stated; write it into the name, such as '(", example,
                                                     ")', or add `# unit: ", example, "` above the table"));
    }
    const double gigabyte = tables_.claims().bytes_per_gigabyte();
    ASSIGN_OR_RETURN(const PrintedQuantity printed, InUnitOfQuantity(quantity, cell.digits, unit, gigabyte));
    value.set_quantity(printed.quantity);
    value.set_as_printed(printed.digits);
    value.set_unit_seconds(printed.unit_seconds);
    value.set_unit_joules(printed.unit_joules);
    value.set_note(cell.spread.empty() ? "" : absl::StrCat("printed with ", cell.spread));
    SetPlace(own, labels, value);
    SetOnlyBatch(only_batches_, labels, value);
    SetContext(own, labels, value);
    RETURN_IF_ERROR(CheckPlace(value));
    return numbers_.Append(std::move(value), IsRate(printed.quantity) ? unit : "", table, line_, tables_);
  }

  // Makes the images or samples of an epoch, which a cell states, a statement of the document.
  absl::Status StateEpochSize(const TableCell& cell, const TableLabel& own) {
    uint64_t images = 0;
    if (!absl::SimpleAtoi(cell.digits, &images) || images == 0 || !cell.unit.empty() ||
        own.quantity != proto::PUBLISHED_QUANTITY_UNSPECIFIED) {
      return absl::InvalidArgumentError("expected a whole number of training samples");
    }
    const uint64_t stated = tables_.claims().images_per_epoch();
    if (stated > 0 && stated != images) {
      return absl::InvalidArgumentError(absl::StrCat(images, " training samples contradict the ", stated,
                                                     " of an epoch above; give these tables a file of their own"));
    }
    tables_.mutable_claims()->set_images_per_epoch(images);
    return absl::OkStatus();
  }

  // Makes the epochs of a run, which a label states, a statement of the document.
  absl::Status StateEpochs(const TableLabel& own, const NumberLabels& labels) {
    uint64_t epochs = own.epochs;
    for (size_t i = 2; i < labels.size() && epochs == 0; ++i) {
      epochs = labels[i]->epochs;
    }
    const uint64_t stated = tables_.claims().epochs();
    if (epochs > 0 && stated > 0 && stated != epochs) {
      return absl::InvalidArgumentError(
          absl::StrCat("runs of ", epochs, " epochs contradict those of ", stated,
                       " above; write the epochs into a column of their own, named 'epochs'"));
    }
    if (epochs > 0) {
      tables_.mutable_claims()->set_epochs(epochs);
    }
    return absl::OkStatus();
  }

  // Makes the kind of batch, which a label states, a statement of the document: "global batch size".
  absl::Status StateBatchKind(const TableLabel& own, const NumberLabels& labels) {
    std::string kind = own.batch_kind;
    for (size_t i = 2; i < labels.size() && kind.empty(); ++i) {
      kind = labels[i]->batch_kind;
    }
    const std::string& stated = tables_.claims().batch();
    if (!kind.empty() && !stated.empty() && stated != kind) {
      return absl::InvalidArgumentError(
          absl::StrCat("a batch that is ", kind, " contradicts the ", stated,
                       " batch above; give each a file, or write the batches as one kind"));
    }
    if (!kind.empty()) {
      tables_.mutable_claims()->set_batch(kind);
    }
    return absl::OkStatus();
  }

  const CommaMeaning comma_;
  TableFaults& faults_;
  proto::PublishedTables tables_;
  TableRemarks remarks_;
  TableNumbers numbers_;
  LeftOutNames left_out_;
  int tables_read_ = 0;
  size_t cells_ = 0;          // cells of the tables so far, each as wide as its widest row
  int line_ = 0;              // line of the row that is read
  OnlyBatches only_batches_;  // batches of the table that is read
};

}  // namespace

absl::StatusOr<proto::PublishedTables> ReadWideTables(const TableBlocks& blocks, const std::string& path,
                                                      TableFaults faults, NumberLines* lines) {
  WideTableReader reader(blocks.comma, faults);
  for (const TableBlock& block : blocks.blocks) {
    reader.Read(block);
  }
  proto::PublishedTables tables = reader.Finish();
  if (!faults.empty()) {
    return faults.ToStatus(path);
  }
  if (lines != nullptr) {
    *lines = reader.lines();
  }
  if (const absl::Status status = CheckPublishedTables(tables); !status.ok()) {
    return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
  }
  return tables;
}

}  // namespace lockstep
