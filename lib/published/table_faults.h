// Errors of a file of tables: all of them in one message.
#ifndef LOCKSTEP_LIB_PUBLISHED_TABLE_FAULTS_H_
#define LOCKSTEP_LIB_PUBLISHED_TABLE_FAULTS_H_

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Largest number of errors in one message.
inline constexpr size_t kMaxShownFaults = 20;

// Not thread-safe.
class TableFaults {
 public:
  // Adds an error of a line. Equal texts are one error, of their first line. `shown` is a text of the file that the
  // error is about; the message has at most kMaxExcerptBytes (excerpt.h) of all such texts together.
  void Add(int line, absl::string_view text, absl::string_view shown = "");

  bool empty() const { return faults_.empty(); }

  // Returns DataLossError: "path:3: text", or "path: 2 errors: line 3: text; line 7: text". There must be an error.
  absl::Status ToStatus(absl::string_view path) const;

 private:
  std::vector<std::pair<int, std::string>> faults_;
  std::set<std::string> known_;
  size_t count_ = 0;
  size_t shown_bytes_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_TABLE_FAULTS_H_
