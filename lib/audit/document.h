// A published document as the audit sees it: its printed numbers in order, and which of them others can be made from.
#ifndef LOCKSTEP_LIB_AUDIT_DOCUMENT_H_
#define LOCKSTEP_LIB_AUDIT_DOCUMENT_H_

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/proto/published.pb.h"
#include "lib/published/printed_number.h"

namespace lockstep {

// One printed number. `value` points into the document's tables.
struct Cell {
  int table = 0;  // index
  const proto::PublishedValue* value = nullptr;
  PrintedNumber printed;
  double unrounded = 0;           // what was rounded for print, once the audit knows it; until then what is printed
  const Cell* repeats = nullptr;  // the number that this one repeats, when it does so rightly
  double slack = 0;               // how far `unrounded` may be off, since what it was made of was rounded for print
  std::string contradiction;      // of a number that should repeat another and does not: "Log prints 19.704"

  double Exact() const { return repeats != nullptr ? repeats->Exact() : unrounded; }
  double Slack() const { return repeats != nullptr ? repeats->Slack() : slack; }
};

// What devices and batch a number belongs to.
struct TablePlace {
  uint32_t devices;
  uint64_t batch;
  bool operator<(const TablePlace& other) const {
    return std::make_pair(devices, batch) < std::make_pair(other.devices, other.batch);
  }
};

// One column of inputs: the numbers of one kind, table and context.
struct Source {
  std::string name;  // "Q2", or "Log (compute-only)" with a context
  int table = 0;
  proto::PublishedQuantity quantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;
  bool read_off = false;
  std::map<TablePlace, const Cell*> cells;
  std::string context;

  const Cell* At(uint32_t devices, uint64_t batch) const {  // null: not there
    const auto found = cells.find({devices, batch});
    return found == cells.end() ? nullptr : found->second;
  }
};

class Document {
 public:
  // `tables` passed CheckPublishedTables, and outlives the document.
  explicit Document(const proto::PublishedTables& tables);

  const proto::PublishedTables& tables() const { return tables_; }
  std::deque<Cell>& cells() { return cells_; }  // in the document's order; addresses stay
  const std::deque<Cell>& cells() const { return cells_; }
  const std::string& TableName(const Cell& cell) const { return tables_.table(cell.table).name(); }

  // Columns of these kinds that are not of a single epoch; those of `first_table` before the others.
  std::vector<Source> Sources(const std::set<proto::PublishedQuantity>& quantities, int first_table) const;

  // The columns of times of an epoch, with data loading or without.
  std::vector<Source> Times(int first_table) const;

  double ImagesPerEpoch() const;  // 0: unknown

  // The numbers of devices above one for which something is printed, in order; of very many the smallest sixteen, so that
  // a document's audit stays short.
  std::set<uint32_t> SeveralDevices() const;

  // Whether a batch is all devices' together: as the code or the logs show, else as the document says.
  bool BatchIsTotal() const;

 private:
  const proto::PublishedTables& tables_;
  std::deque<Cell> cells_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_DOCUMENT_H_
