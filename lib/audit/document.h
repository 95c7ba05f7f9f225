// Document as the audit uses it: the printed numbers in order, and the columns from which other numbers can be
// computed.
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
  int table = 0;  // index of the table
  const proto::PublishedValue* value = nullptr;
  PrintedNumber printed;
  double unrounded = 0;           // value before rounding, once the audit knows it; until then the printed value
  const Cell* repeats = nullptr;  // number that this cell repeats correctly; null: none
  double slack = 0;               // largest error of `unrounded`, because its inputs were rounded for print
  std::string contradiction;      // sentence for a number that should repeat another and does not: "Log prints 19.704"

  double Exact() const { return repeats != nullptr ? repeats->Exact() : unrounded; }
  double Slack() const { return repeats != nullptr ? repeats->Slack() : slack; }

  // Returns true if the two cells are the same, one repeats the other, or the two repeat the same third cell.
  bool IsSameAs(const Cell& other) const { return &Original() == &other.Original(); }

 private:
  const Cell& Original() const { return repeats != nullptr ? repeats->Original() : *this; }
};

// Number of devices and batch size that a number belongs to.
struct TablePlace {
  uint32_t devices;
  uint64_t batch;
  bool operator<(const TablePlace& other) const {
    return std::make_pair(devices, batch) < std::make_pair(other.devices, other.batch);
  }
};

// One column of inputs: the numbers of one kind, table and context. Its address is valid as long as its document
// exists.
struct Source {
  std::string name;  // "Q2", or "Log (compute-only)" with a context
  int table = 0;
  proto::PublishedQuantity quantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;
  bool read_off = false;
  std::map<TablePlace, const Cell*> cells;
  std::string context;
  size_t order = 0;           // position among all sources of the document
  bool is_converted = false;  // true: times of whole runs. Those of quantity EPOCH_SECONDS were divided by the epochs

  const Cell* At(uint32_t devices, uint64_t batch) const {  // null: not printed
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

// Must not be copied or moved, because its sources point into it.
class Document {
 public:
  // `tables` must have passed CheckPublishedTables and must outlive the document.
  explicit Document(const proto::PublishedTables& tables);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const proto::PublishedTables& tables() const { return tables_; }
  std::deque<Cell>& cells() { return cells_; }  // cells in the document's order; their addresses stay valid
  const std::deque<Cell>& cells() const { return cells_; }
  const std::string& TableName(const Cell& cell) const { return tables_.table(cell.table).name(); }

  // Returns the columns of these kinds that are not of a single epoch, from which numbers of `table` labelled `context`
  // may be computed; columns of `table` come first. If there are more than kAllSources columns, returns kNearSources of
  // them: first those of `table` (those labelled `context` before the others), then those of other tables labelled
  // `context`, then those of the nearest tables before and after `table`.
  Sources SourcesFor(const std::set<proto::PublishedQuantity>& quantities, int table,
                     absl::string_view context = "") const;

  // Returns the columns of epoch times, with or without data loading, selected as by SourcesFor.
  Sources Times(int table, absl::string_view context = "") const;

  // Returns the columns of times of whole runs whose numbers of epochs are not known, selected as by SourcesFor.
  Sources RunTimes(int table, absl::string_view context = "") const;

  // Returns all numbers printed for this number of devices and batch, in the document's order.
  const std::vector<const Cell*>& CellsAt(uint32_t devices, uint64_t batch) const;

  // Returns all numbers of one table, in its order.
  const std::vector<const Cell*>& CellsOf(int table) const { return by_table_[table]; }

  // Returns true if a time of an epoch on one device is printed.
  bool TimesOneDevice() const { return times_one_device_; }

  double ImagesPerEpoch() const;  // 0: unknown

  // Returns the epochs, or the steps, of the training run at a place of table `table`, as printed for it (with this
  // context or none). EpochsOfRun also returns the epochs that follow from the steps, or that the document states. 0:
  // not known.
  double EpochsOfRun(int table, const TablePlace& place, absl::string_view context) const;
  double StepsOfRun(int table, const TablePlace& place, absl::string_view context) const;

  // Returns the numbers of devices above one for which something is printed, in order. Returns at most the smallest
  // sixteen, so that the audit stays short.
  const std::set<uint32_t>& SeveralDevices() const { return several_devices_; }

  // Returns true if a batch is the total over all devices, as the code or the logs show, else as the document states.
  bool BatchIsTotal() const;

 private:
  // Returns the number of this kind of a training run; 0: not printed.
  double OfRun(proto::PublishedQuantity quantity, int table, const TablePlace& place, absl::string_view context) const;
  void AddToSources(const Cell& cell);
  // Adds the times of an epoch that follow from the runs of table `table`.
  void AddEpochsOfRuns(int table);

  const proto::PublishedTables& tables_;
  std::deque<Cell> cells_;
  std::deque<Cell> epochs_of_runs_;  // times of runs divided by their epochs, with the values of the runs
  std::deque<Source> sources_;       // columns sorted by their first numbers
  std::map<std::tuple<int, int, bool, std::string>, Source*> source_of_;  // keys: table, quantity, read_off, context
  std::map<proto::PublishedQuantity, Sources> by_quantity_;               // columns sorted by table
  std::map<TablePlace, std::vector<const Cell*>> by_place_;
  std::vector<std::vector<const Cell*>> by_table_;
  std::set<uint32_t> several_devices_;
  bool times_one_device_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_DOCUMENT_H_
