// Texts of the hand-in: on one line, cut to a length.
#ifndef LOCKSTEP_LIB_PAGE_HAND_IN_TEXT_H_
#define LOCKSTEP_LIB_PAGE_HAND_IN_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns `text` on one line, cut after the last sentence that ends within `bytes`, or within its first sentence. Lines
// are joined by semicolons, unless the first of the two ends with a full stop or a colon.
std::string ShortenedLine(absl::string_view text, size_t bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HAND_IN_TEXT_H_
