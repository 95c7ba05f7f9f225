// A published document as the audit sees it: its printed numbers in order, and which of them others can be made from.
#ifndef LOCKSTEP_LIB_AUDIT_DOCUMENT_H_
#define LOCKSTEP_LIB_AUDIT_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
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

  // Returns true if both are one number: the same one, or one repeats the other, or both the same third.
  bool IsSameAs(const Cell& other) const { return &Original() == &other.Original(); }

 private:
  const Cell& Original() const { return repeats != nullptr ? repeats->Original() : *this; }
};

// What devices and batch a number belongs to.
struct TablePlace {
  uint32_t devices;
  uint64_t batch;
  bool operator<(const TablePlace& other) const {
    return std::make_pair(devices, batch) < std::make_pair(other.devices, other.batch);
  }
};

// One column of inputs: the numbers of one kind, table and context. It stays where it is as long as its document.
struct Source {
  std::string name;  // "Q2", or "Log (compute-only)" with a context
  int table = 0;
  proto::PublishedQuantity quantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;
  bool read_off = false;
  std::map<TablePlace, const Cell*> cells;
  std::string context;
  size_t order = 0;  // position among all sources of the document

  const Cell* At(uint32_t devices, uint64_t batch) const {  // null: not there
    const auto found = cells.find({devices, batch});
    return found == cells.end() ? nullptr : found->second;
  }
};

using Sources = std::vector<std::reference_wrapper<const Source>>;

// Largest number of columns of inputs that are all tried with each other. The documents of data/published have 20 at
// most.
inline constexpr size_t kAllSources = 24;

// Number of columns of inputs that are tried in a document that has more than kAllSources of a kind.
inline constexpr size_t kNearSources = 6;

// Not copied or moved: its sources point into it.
class Document {
 public:
  // `tables` passed CheckPublishedTables, and outlives the document.
  explicit Document(const proto::PublishedTables& tables);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const proto::PublishedTables& tables() const { return tables_; }
  std::deque<Cell>& cells() { return cells_; }  // in the document's order; addresses stay
  const std::deque<Cell>& cells() const { return cells_; }
  const std::string& TableName(const Cell& cell) const { return tables_.table(cell.table).name(); }

  // Returns the columns of these kinds that are not of a single epoch, from which numbers of `table` labelled `context`
  // may be made; those of `table` come before the others. If the document has more than kAllSources of them, returns
  // kNearSources: those of the table itself (those labelled `context` first), then those labelled `context` of other
  // tables, then the nearest tables before this one and after it.
  Sources SourcesFor(const std::set<proto::PublishedQuantity>& quantities, int table,
                     absl::string_view context = "") const;

  // Returns the columns of times of an epoch, with data loading or without. The choice is that of SourcesFor.
  Sources Times(int table, absl::string_view context = "") const;

  // Returns all numbers printed for this number of devices and batch, in the document's order.
  const std::vector<const Cell*>& CellsAt(uint32_t devices, uint64_t batch) const;

  // Returns all numbers of one table, in its order.
  const std::vector<const Cell*>& CellsOf(int table) const { return by_table_[table]; }

  // Returns true if a time of an epoch on one device is printed.
  bool TimesOneDevice() const { return times_one_device_; }

  double ImagesPerEpoch() const;  // 0: unknown

  // The numbers of devices above one for which something is printed, in order; of very many the smallest sixteen, so that
  // a document's audit stays short.
  const std::set<uint32_t>& SeveralDevices() const { return several_devices_; }

  // Whether a batch is all devices' together: as the code or the logs show, else as the document says.
  bool BatchIsTotal() const;

 private:
  void AddToSources(const Cell& cell);

  const proto::PublishedTables& tables_;
  std::deque<Cell> cells_;
  std::deque<Source> sources_;                                            // sorted by their first numbers
  std::map<std::tuple<int, int, bool, std::string>, Source*> source_of_;  // keys: table, quantity, read_off, context
  std::map<proto::PublishedQuantity, Sources> by_quantity_;               // sorted by table
  std::map<TablePlace, std::vector<const Cell*>> by_place_;
  std::vector<std::vector<const Cell*>> by_table_;
  std::set<uint32_t> several_devices_;
  bool times_one_device_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_DOCUMENT_H_
