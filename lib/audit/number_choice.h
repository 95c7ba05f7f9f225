// Choice of printed numbers by words, as the flag --explain gives them.
#ifndef LOCKSTEP_LIB_AUDIT_NUMBER_CHOICE_H_
#define LOCKSTEP_LIB_AUDIT_NUMBER_CHOICE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"
#include "lib/published/published_tables.h"

namespace lockstep {

// Position of a number in its document.
struct NumberIndex {
  int table = 0;  // index of the table
  int value = 0;  // index of the number in the table
};

// Returns for example "STEP_SECONDS N=2 B=32 epoch 5 full time", without unset parts.
std::string NumberName(const proto::PublishedValue& value);

// Returns "theirs.csv:14", or "theirs.csv" if the line is not known.
std::string NumberLocation(const PublishedFile& file, const NumberIndex& number);

// Returns the numbers of `file` that every one of `words` describes, in the document's order. The words are separated
// by spaces. Upper and lower case are the same. A word is
// - N=4, B=128 or epoch=5;
// - the name of a quantity, such as SPEEDUP;
// - FILE:LINE, with or without the folder of the file;
// - another text: the number as read ("125") or as its table prints it ("2:05", "1,024", "97%"), or a part of its
//   table's name or of its context.
std::vector<NumberIndex> NumbersDescribed(const PublishedFile& file, absl::string_view words);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_NUMBER_CHOICE_H_
