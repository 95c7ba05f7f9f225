// Remarks about tables, and their keys.
#ifndef LOCKSTEP_LIB_PUBLISHED_REMARK_KEY_H_
#define LOCKSTEP_LIB_PUBLISHED_REMARK_KEY_H_

#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// A line `# key: value` or `# key = value`; in LaTeX also `% key: value`.
struct TableRemark {
  int line = 0;
  std::string key;  // key in lower case, with _ between words
  std::string value;
};

// Keys that state what a table does not: for all tables below the remark, up to another remark with the same key.
inline constexpr absl::string_view kTableKeys[] = {"quantity",     "unit",       "devices", "batch",
                                                   "rows",         "columns",    "table",   "context",
                                                   "base_devices", "base_batch", "read_off"};

// Returns true for a key of kTableKeys or of the document (document_key.h).
bool IsKnownKey(const std::string& key);

// Returns the remark in `text`, line `number` without its `#`; without a key if it has none that is known. A single
// word before = is a key, known or not. Names of axes are keys, too: "# GPUs: 4" states `devices`.
TableRemark RemarkOf(absl::string_view text, int number);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_REMARK_KEY_H_
