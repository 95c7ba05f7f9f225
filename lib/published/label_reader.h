// Reads the words of a label of a printed table.
#ifndef LOCKSTEP_LIB_PUBLISHED_LABEL_READER_H_
#define LOCKSTEP_LIB_PUBLISHED_LABEL_READER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/published/table_label.h"

namespace lockstep {

// Adds words to `label.unknown`.
void AddUnknown(absl::string_view text, TableLabel& label);

// Sets `field` unless it holds another value.
template <typename Value>
void SetOnce(const Value& value, absl::string_view text, Value& field, TableLabel& label) {
  if (field == Value() || field == value) {
    field = value;
  } else {
    AddUnknown(text, label);
    label.contradicts = true;
  }
}

// Sets the quantity and the unit that `text` states. A more exact name replaces a general one: the time of an epoch
// that of a run, and a rate per device a rate.
void SetMeaning(const QuantityMeaning& meaning, absl::string_view text, TableLabel& label);

// Adds the statements of `words` (label_tokens.h), read from left to right, to `label`.
void ReadLabelWords(std::vector<std::string> words, TableLabel& label);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_LABEL_READER_H_
