// The beginning of a text of a file, for an error: enough to find the place, and not the file itself.
#ifndef LOCKSTEP_LIB_PUBLISHED_EXCERPT_H_
#define LOCKSTEP_LIB_PUBLISHED_EXCERPT_H_

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Largest number of bytes that an error shows of a file. Names of columns, keys and conventions are shorter.
inline constexpr size_t kMaxExcerptBytes = 40;

// Returns `text`, or its first kMaxExcerptBytes and "...". A character of UTF-8 is not cut.
inline std::string Excerpt(absl::string_view text) {
  if (text.size() <= kMaxExcerptBytes) {
    return std::string(text);
  }
  size_t end = kMaxExcerptBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return absl::StrCat(text.substr(0, end), "...");
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_EXCERPT_H_
