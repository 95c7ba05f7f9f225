// Numbers of a document that is read table by table: each number has a place of its own, and a table one unit of rates.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_NUMBERS_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_NUMBERS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "lib/proto/published.pb.h"
#include "lib/published/number_lines.h"

namespace lockstep {

class TableNumbers {
 public:
  // Adds a number of table `table`, which stands on line `line`, to `tables`; adds the table if it is new. `rate_unit`
  // is the unit of a rate, and empty for another quantity. Returns InvalidArgumentError, with the remedy,
  // - for a second number of one quantity at one place of a table;
  // - for a rate whose unit is not that of the table's other rates.
  // Returns FailedPreconditionError if the document has too many numbers or tables.
  absl::Status Append(proto::PublishedValue value, const std::string& rate_unit, const std::string& table, int line,
                      proto::PublishedTables& tables);

  // Returns the line of every number.
  const NumberLines& lines() const { return lines_; }

 private:
  absl::Status CheckUnique(proto::PublishedValue value, const std::string& table);
  absl::Status CheckRateUnit(const std::string& unit, const std::string& table);

  int64_t numbers_ = 0;
  NumberLines lines_;
  std::map<std::string, int> index_;                      // tables by name
  std::set<std::pair<std::string, std::string>> places_;  // table, and value without its digits
  std::map<std::string, std::string> rate_units_;         // unit of each table's rates
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_NUMBERS_H_
