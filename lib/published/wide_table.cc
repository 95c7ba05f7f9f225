#include "lib/published/wide_table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/published/document_key.h"
#include "lib/published/field_text.h"
#include "lib/published/label_words.h"
#include "lib/published/number_labels.h"
#include "lib/published/published_check.h"
#include "lib/published/published_unit.h"
#include "lib/published/quantity_unit.h"
#include "lib/published/table_cell.h"
#include "lib/published/table_label.h"
#include "lib/published/table_names.h"

namespace lockstep {
namespace {

constexpr proto::PublishedQuantity kNotStated = proto::PUBLISHED_QUANTITY_UNSPECIFIED;

std::string NameOf(proto::PublishedQuantity quantity) {
  return absl::AsciiStrToLower(proto::PublishedQuantity_Name(quantity));
}

// Reads the tables of a file in their order.
class WideTableReader {
 public:
  WideTableReader(CommaMeaning comma, TableFaults& faults) : comma_(comma), faults_(faults) {}

  void Read(const TableBlock& block) {
    for (const TableRemark& remark : block.remarks) {
      if (const absl::Status status = ReadRemark(remark); !status.ok()) {
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
  const NumberLines& lines() const { return lines_; }

 private:
  absl::Status ReadRemark(const TableRemark& remark) {
    const std::string& key = remark.key;
    const bool is_word = key == "batch" && !remark.value.empty() && absl::ascii_isalpha(remark.value[0]);
    if (std::find(std::begin(kTableKeys), std::end(kTableKeys), key) == std::end(kTableKeys) || is_word) {
      return SetDocumentKey(key, remark.value, seen_, tables_);
    }
    if (key == "context" || key == "base_devices" || key == "base_batch" || key == "read_off") {
      return SetFieldFromText(key, remark.value, stated_value_);
    }
    if (key == "devices" || key == "batch") {
      return SetFieldFromText(key, remark.value, stated_value_);
    }
    if (key == "table") {
      table_name_ = remark.value;
      return absl::OkStatus();
    }
    if (key == "rows" || key == "columns") {
      const TableAxis axis = AxisMeantBy(absl::AsciiStrToLower(remark.value));
      (key == "rows" ? axes_.rows : axes_.columns) = axis;
      return axis != TableAxis::kNone
                 ? absl::OkStatus()
                 : absl::InvalidArgumentError(absl::StrCat("expected ", key, ": devices or batch"));
    }
    if (key == "unit") {
      stated_.unit = UnitMeantBy(remark.value).unit;
      return !stated_.unit.empty() ? absl::OkStatus()
                                   : absl::InvalidArgumentError("expected a unit such as s, ms, %, GB/s or images/s");
    }
    return ReadQuantity(remark.value);
  }

  absl::Status ReadQuantity(const std::string& text) {
    TableLabel label = ParseTableLabel(text);
    if (label.quantity == kNotStated) {
      label.quantity = NamedInSchema(text);
    }
    if (label.quantity == kNotStated || !label.unknown.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("unknown quantity; known: ", KnownQuantityWords()));
    }
    if (label.unit.empty() && IsUnitOf(stated_.unit, label.quantity)) {
      label.unit = stated_.unit;  // `# unit` stands above `# quantity`
    }
    stated_.quantity = label.quantity;
    stated_.unit = label.unit;
    return absl::OkStatus();
  }

  // Returns the quantity with this name in published.proto.
  static proto::PublishedQuantity NamedInSchema(absl::string_view text) {
    proto::PublishedValue value;
    return SetFieldFromText("quantity", text, value).ok() ? value.quantity() : kNotStated;
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
    cells_ += width * block.rows.size();
    if (block.rows.size() < 2 || cells_ > kMaxTableCells) {
      faults_.Add(block.rows[0].line,
                  absl::StrCat("a table needs a row of names, rows of numbers below it, and a file at most ",
                               kMaxTableCells, " cells"));
      return;
    }
    StatedAxes axes = axes_;
    axes.title = title_label.axes;
    const TableNames names = ReadTableNames(block, comma_, axes, faults_);
    const std::string automatic = named.empty() ? absl::StrCat("Table ", tables_read_) : named;
    const std::string& name = table_name_.empty() ? automatic : table_name_;
    for (size_t row = 0; row < names.rows.size(); ++row) {
      for (size_t column = 0; column < width && names.rows[row].number == 0; ++column) {
        if (!names.columns[column].names_rows && names.columns[column].is_usable) {
          ReadCell(block, row + names.header_rows, column,
                   {&names.columns[column].label, &names.rows[row], &names.corner, &title_label, &stated_}, name);
        }
      }
    }
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
    TableLabel own = *labels[0];
    AddToLabel(*labels[1], own);
    if (own.contradicts) {
      return absl::InvalidArgumentError("the names of row and column contradict each other; state each thing once");
    }
    proto::PublishedValue value = stated_value_;
    proto::PublishedQuantity quantity = own.quantity;
    for (size_t i = 2; i < labels.size() && quantity == kNotStated; ++i) {
      quantity = labels[i]->quantity;
    }
    if (quantity == kNotStated) {
      return absl::InvalidArgumentError(
          "the quantity is not stated; write it into the name of the column or row, or add `# quantity: epoch time` "
          "above "
          "the table");
    }
    if (quantity == proto::RUN_SECONDS) {
      quantity = TimeOfPart(labels, quantity);
      if (const absl::Status status = StateEpochs(own, labels); !status.ok()) {
        return status;
      }
    }
    const std::string unit = UnitOfNumber(cell, own, labels, quantity);
    if (unit.empty() && NeedsUnit(quantity)) {
      const absl::string_view example = UnitOf(quantity);
      return absl::InvalidArgumentError(absl::StrCat("the unit of ", NameOf(quantity),
                                                     " is not stated; write it into the name, such as '(", example,
                                                     ")', or add `# unit: ", example, "` above the table"));
    }
    const absl::StatusOr<PrintedQuantity> printed =
        InUnitOfQuantity(quantity, cell.digits, unit, tables_.claims().bytes_per_gigabyte());
    if (!printed.ok()) {
      return printed.status();
    }
    value.set_quantity(printed->quantity);
    value.set_as_printed(printed->digits);
    value.set_unit_seconds(printed->unit_seconds);
    value.set_unit_joules(printed->unit_joules);
    value.set_note(cell.spread.empty() ? "" : absl::StrCat("printed with ", cell.spread));
    SetPlace(own, labels, value);
    SetRankStatistic(own, labels, value);
    if (const absl::Status status = CheckPlace(value); !status.ok()) {
      return status;
    }
    return Append(std::move(value), IsRate(printed->quantity) ? unit : "", table);
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

  absl::Status Append(proto::PublishedValue value, const std::string& rate_unit, const std::string& table) {
    proto::PublishedValue place = value;
    place.clear_as_printed();
    place.clear_unit_seconds();
    place.clear_unit_joules();
    place.clear_note();
    if (!places_.emplace(table, place.SerializeAsString()).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a second ", NameOf(value.quantity()), " of ", value.devices(), " devices, batch ", value.batch(), " in ",
          "one table; give it a table of its own with `# table: NAME` or `# context: WORDS` above it"));
    }
    if (!rate_unit.empty()) {
      const auto [known, is_new] = rate_units_.emplace(table, rate_unit);
      if (!is_new && known->second != rate_unit) {
        return absl::InvalidArgumentError(absl::StrCat("unit ", rate_unit, " contradicts the ", known->second,
                                                       " of the same table above; give each a table"));
      }
    }
    const auto [index, is_new] = index_.emplace(table, tables_.table_size());
    if (absl::Status status = CheckPublishedSize(tables_.table_size() + (is_new ? 1 : 0), ++numbers_); !status.ok()) {
      if (is_new) {
        index_.erase(index);
      }
      return status;
    }
    if (is_new) {
      tables_.add_table()->set_name(table);
    }
    *tables_.mutable_table(index->second)->add_value() = std::move(value);
    AddNumberLine(static_cast<size_t>(index->second), line_, lines_);
    return absl::OkStatus();
  }

  const CommaMeaning comma_;
  TableFaults& faults_;
  proto::PublishedTables tables_;
  std::set<std::string> seen_;          // keys of the document so far
  TableLabel stated_;                   // `# quantity` and `# unit`
  proto::PublishedValue stated_value_;  // `# devices`, `# batch`, `# context` and the like
  StatedAxes axes_;
  std::string table_name_;  // `# table`
  int tables_read_ = 0;
  size_t cells_ = 0;  // cells of the tables so far, each as wide as its widest row
  int64_t numbers_ = 0;
  int line_ = 0;  // line of the row that is read
  NumberLines lines_;
  std::map<std::string, int> index_;                      // tables by name
  std::set<std::pair<std::string, std::string>> places_;  // table, and value without its digits
  std::map<std::string, std::string> rate_units_;         // unit of each table's rates
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
