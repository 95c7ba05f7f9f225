// Escapes text from records for pdflatex: a device may be called $<b>_%, and a path may be long.
#ifndef LOCKSTEP_LIB_PAGE_LATEX_TEXT_H_
#define LOCKSTEP_LIB_PAGE_LATEX_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns text for a paragraph, a heading or a table cell. No character acts as a command or forms a ligature or an
// argument with its neighbour, and long words may be broken. A character that fonts of 256 characters lack becomes
// (U+4E2D), and a byte that is not UTF-8 becomes (0xE9).
std::string EscapeLatex(absl::string_view text);

// Returns `text` as a name for \label, \ref and files: letters, digits, '.' and '-' stay, other characters become '-'.
std::string LatexName(absl::string_view text);

// Returns true if pdflatex can read a file of this name, folders included: letters, digits and ._/+=- only.
bool IsLatexFileName(absl::string_view path);

// Returns the width of `text` as it is shown, in characters.
size_t LatexWidth(absl::string_view text);

// Returns the longest prefix of whole characters of `text` that is at most `width` wide, but at least one character.
absl::string_view LatexPrefix(absl::string_view text, size_t width);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_LATEX_TEXT_H_
