// Lines `# key = value` of a file, with a document's statements about itself.
#ifndef LOCKSTEP_LIB_PUBLISHED_DOCUMENT_KEY_H_
#define LOCKSTEP_LIB_PUBLISHED_DOCUMENT_KEY_H_

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Returns true for a line that begins with # and for a line without text: a remark, or a row of empty cells. A
// spreadsheet may have put the whole line in quotes.
bool IsRemarkLine(absl::string_view line);

// Returns the text after the # of a remark, without the quotes and the separators at the end that a spreadsheet adds.
std::string RemarkText(absl::string_view line);

// Returns the key of which `text` is a spelling ("Parameter count", "bytes-per-gigabyte"); empty if there is none.
std::string DocumentKeyMeantBy(absl::string_view text);

// Sets `source`, `description`, a field of proto::Claims by its name, or a field of proto::Facts as facts.NAME. `seen`
// holds the keys so far. Returns InvalidArgumentError for an unknown key, a second value, or a value that
// lib/published/statement.h does not allow.
absl::Status SetDocumentKey(absl::string_view key, absl::string_view value, std::set<std::string>& seen,
                            proto::PublishedTables& tables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_DOCUMENT_KEY_H_
