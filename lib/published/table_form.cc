#include "lib/published/table_form.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "lib/published/document_key.h"
#include "lib/published/table_markup.h"

namespace lockstep {
namespace {

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

}  // namespace

TableForm FormOf(absl::string_view text) {
  bool is_latex = false, is_markdown = false;
  ForEachLine(text, [&](absl::string_view line, int) {
    const bool is_row = !IsRemarkLine(line);
    is_latex = is_latex || (is_row && IsLatexRow(line));
    is_markdown = is_markdown || (is_row && absl::StartsWith(absl::StripLeadingAsciiWhitespace(line), "|")) ||
                  (IsMarkdownRow(line) && MarkdownCells(line).empty());
  });
  return is_latex ? TableForm::kLatex : is_markdown ? TableForm::kMarkdown : TableForm::kCsv;
}

char SeparatorOfText(absl::string_view text) {
  size_t commas = 0, semicolons = 0, tabs = 0;
  ForEachLine(text, [&](absl::string_view line, int) {
    if (IsRemarkLine(line)) {
      return;
    }
    const bool has_tab = absl::StrContains(line, "\t"), has_semicolon = absl::StrContains(line, ";");
    tabs += has_tab ? 1 : 0;
    semicolons += !has_tab && has_semicolon ? 1 : 0;
    commas += !has_tab && !has_semicolon && absl::StrContains(line, ",") ? 1 : 0;
  });
  if (tabs >= std::max<size_t>(1, std::max(semicolons, commas))) {
    return '\t';
  }
  return semicolons >= std::max<size_t>(1, commas) ? ';' : ',';
}

bool ShowsDecimal(absl::string_view cell, char sign) {
  const size_t at = cell.rfind(sign);
  if (at == absl::string_view::npos || at == 0 || !IsDigit(cell[at - 1])) {
    return false;
  }
  const absl::string_view rest = cell.substr(at + 1);
  const size_t digits = std::find_if_not(rest.begin(), rest.end(), IsDigit) - rest.begin();
  return digits > 0 && (digits != 3 || (cell[at - 1] == '0' && at == 1));
}

}  // namespace lockstep
