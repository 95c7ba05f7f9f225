// Remarks above printed tables, which state what the tables do not: `# quantity: epoch time`, `# devices: 1`.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_REMARKS_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_REMARKS_H_

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"
#include "lib/published/table_blocks.h"
#include "lib/published/table_label.h"
#include "lib/published/table_names.h"

namespace lockstep {

// Statements of the remarks so far. They hold for all tables below, up to another remark with the same key.
class TableRemarks {
 public:
  // Reads a remark. One with a key of the document sets a field of `tables` (document_key.h). Returns
  // InvalidArgumentError for an unknown key, and for a value that the key does not allow.
  absl::Status Read(const TableRemark& remark, proto::PublishedTables& tables);

  const TableLabel& label() const { return label_; }             // `# quantity` and `# unit`
  const proto::PublishedValue& value() const { return value_; }  // `# devices`, `# batch`, `# context` and the like
  const StatedAxes& axes() const { return axes_; }               // `# rows` and `# columns`
  const std::string& table_name() const { return table_name_; }  // `# table`; empty: not stated

 private:
  absl::Status ReadAxis(const TableRemark& remark);
  absl::Status ReadQuantity(const std::string& text);

  std::set<std::string> seen_;  // keys of the document so far
  TableLabel label_;
  proto::PublishedValue value_;
  StatedAxes axes_;
  std::string table_name_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_REMARKS_H_
