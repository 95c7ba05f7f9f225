// Beginning of a text of a file, for an error: enough to find the place, but not the whole file.
#ifndef LOCKSTEP_LIB_PUBLISHED_EXCERPT_H_
#define LOCKSTEP_LIB_PUBLISHED_EXCERPT_H_

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/utf8.h"

namespace lockstep {

// Largest number of bytes that an error shows of a file. Names of columns, keys and conventions are shorter.
inline constexpr size_t kMaxExcerptBytes = 40;

// Returns `text`, or its first kMaxExcerptBytes and "...". A UTF-8 character is not split.
inline std::string Excerpt(absl::string_view text) {
  return absl::StrCat(FirstBytes(text, kMaxExcerptBytes), text.size() <= kMaxExcerptBytes ? "" : "...");
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_EXCERPT_H_
