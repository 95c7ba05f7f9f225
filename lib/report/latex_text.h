// Text from records as LaTeX that pdflatex sets as it is: a device may be called $<b>_%, and a path may be long.
#ifndef LOCKSTEP_LIB_REPORT_LATEX_TEXT_H_
#define LOCKSTEP_LIB_REPORT_LATEX_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// For a paragraph, a heading or a table's cell. No character is a command, none makes a ligature or an argument with its
// neighbour, and long words may be broken. What fonts of 256 characters lack shows as (U+4E2D), and a byte that is no
// UTF-8 as (0xE9).
std::string EscapeLatex(absl::string_view text);

// `text` as a name in \label, \ref and files: letters, digits, '.' and '-' stay, others become '-'.
std::string LatexName(absl::string_view text);

// Whether pdflatex can be told to read a file of this name, folders included: letters, digits and ._/+=- only.
bool IsLatexFileName(absl::string_view path);

// Characters of `text`, as wide as they are shown.
size_t LatexWidth(absl::string_view text);

// The longest beginning of `text` of whole characters that is no wider than that; one character at least.
absl::string_view LatexPrefix(absl::string_view text, size_t width);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_LATEX_TEXT_H_
