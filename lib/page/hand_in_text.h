// Texts of the hand-in: on one line, cut to a length, without references to parts that the hand-in does not contain.
#ifndef LOCKSTEP_LIB_PAGE_HAND_IN_TEXT_H_
#define LOCKSTEP_LIB_PAGE_HAND_IN_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns `text` on one line, cut after the last sentence that ends within `bytes`, or within its first sentence. Lines
// are joined by semicolons, unless the first of the two ends with a full stop or a colon.
std::string ShortenedLine(absl::string_view text, size_t bytes);

// Returns `text` without the clauses that name one of `titles`, or the beginning of one, in quotation marks: "drawn
// under "Accuracy in int8"". A clause ends with a line, or before the space after a semicolon or full stop.
std::string WithoutReferences(absl::string_view text, const std::vector<std::string>& titles);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HAND_IN_TEXT_H_
