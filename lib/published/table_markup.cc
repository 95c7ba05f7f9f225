#include "lib/published/table_markup.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "lib/published/csv.h"

namespace lockstep {
namespace {

constexpr size_t kMaxSpan = 100;  // columns of one \multicolumn

// A command of LaTeX that is no font and no rule.
struct LatexCommand {
  absl::string_view name;
  int dropped_arguments;  // arguments that are no text; -1: all
  absl::string_view text;
};

constexpr LatexCommand kCommands[] = {{"times", 0, "x"},      {"pm", 0, "\xC2\xB1"},
                                      {"approx", 0, "~"},     {"sim", 0, "~"},
                                      {"percent", 0, "%"},    {"quad", 0, " "},
                                      {"qquad", 0, " "},      {"textasciitilde", 0, "~"},
                                      {"backslash", 0, "\\"}, {"textbackslash", 0, "\\"},
                                      {"multicolumn", 2, ""}, {"multirow", 2, ""},
                                      {"begin", -1, ""},      {"end", -1, ""},
                                      {"cmidrule", -1, ""},   {"cline", -1, ""},
                                      {"label", -1, ""},      {"cite", -1, ""},
                                      {"ref", -1, ""},        {"vspace", -1, ""},
                                      {"footnote", -1, ""},   {"tablefootnote", -1, ""},
                                      {"textcolor", 1, ""},   {"rowcolor", -1, ""},
                                      {"cellcolor", -1, ""},  {"documentclass", -1, ""},
                                      {"usepackage", -1, ""}, {"addlinespace", -1, ""}};

// Removes one group, "{...}", "[...]" or "(...)", from the front of `text`. Returns false if `text` does not begin with
// one.
bool TakeGroup(absl::string_view& text) {
  if (text.empty() || (text[0] != '{' && text[0] != '[' && text[0] != '(')) {
    return false;
  }
  const char opening = text[0], closing = opening == '{' ? '}' : opening == '[' ? ']' : ')';
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == opening ? 1 : text[i] == closing ? -1 : 0;
    if (depth == 0) {
      text.remove_prefix(i + 1);
      return true;
    }
  }
  text = "";
  return true;
}

// Appends the text of the command at the front of `rest`, and removes the command.
void AppendCommand(absl::string_view& rest, std::string& text) {
  rest.remove_prefix(1);
  const size_t size =
      std::find_if_not(rest.begin(), rest.end(), [](unsigned char c) { return absl::ascii_isalpha(c); }) - rest.begin();
  if (size == 0) {  // \%, \&, \, and the like
    const char c = rest.empty() ? ' ' : rest[0];
    text += absl::StrContains("%&_#$", std::string(1, c)) ? c : ' ';
    rest.remove_prefix(std::min<size_t>(1, rest.size()));
    return;
  }
  const absl::string_view name = rest.substr(0, size);
  rest.remove_prefix(size);
  const auto command = std::find_if(std::begin(kCommands), std::end(kCommands),
                                    [&](const LatexCommand& known) { return known.name == name; });
  if (command == std::end(kCommands)) {
    return;
  }
  absl::StrAppend(&text, command->text);
  for (int i = 0; i != command->dropped_arguments; ++i) {
    if (!TakeGroup(rest)) {
      break;
    }
  }
}

// Returns the number of columns of the \multicolumn in a cell; 1 if it has none.
size_t SpanOf(absl::string_view cell) {
  constexpr absl::string_view kSpan = "\\multicolumn{";
  const size_t at = cell.find(kSpan);
  if (at == absl::string_view::npos) {
    return 1;
  }
  cell.remove_prefix(at + kSpan.size());
  size_t span = 0;
  return absl::SimpleAtoi(cell.substr(0, cell.find('}')), &span) && span > 0 ? std::min(span, kMaxSpan) : 1;
}

// Returns the position of the next `character` that no backslash precedes.
size_t FindUnescaped(absl::string_view text, char character) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == character) {
      return i;
    }
  }
  return absl::string_view::npos;
}

}  // namespace

bool IsMarkdownRow(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  const size_t first = FindUnescaped(line, '|');
  return first != absl::string_view::npos &&
         (first > 0 || FindUnescaped(line.substr(1), '|') != absl::string_view::npos);
}

std::vector<std::string> MarkdownCells(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  absl::ConsumePrefix(&line, "|");
  std::vector<std::string> cells;
  bool are_dashes = true;
  while (!line.empty() && cells.size() <= kMaxCsvFields) {
    const size_t end = FindUnescaped(line, '|');
    const std::string cell = absl::StrReplaceAll(line.substr(0, end), {{"**", ""},
                                                                       {"__", ""},
                                                                       {"`", ""},
                                                                       {"\\|", "|"},
                                                                       {"\\*", "*"},
                                                                       {"\\~", "~"},
                                                                       {"<br>", " "},
                                                                       {"&nbsp;", " "},
                                                                       {"&plusmn;", "\xC2\xB1"},
                                                                       {"&times;", "\xC3\x97"}});
    line.remove_prefix(end == absl::string_view::npos ? line.size() : end + 1);
    cells.emplace_back(absl::StripAsciiWhitespace(cell));
    are_dashes = are_dashes && absl::StrContains(cells.back(), "-") &&
                 cells.back().find_first_not_of(":- ") == std::string::npos;
  }
  return are_dashes ? std::vector<std::string>() : cells;
}

bool IsLatexRow(absl::string_view line) {
  line = WithoutLatexComment(line);
  return FindUnescaped(line, '&') != absl::string_view::npos && absl::StrContains(line, "\\\\");
}

absl::string_view WithoutLatexComment(absl::string_view line) { return line.substr(0, FindUnescaped(line, '%')); }

std::string LatexText(absl::string_view latex) {
  std::string text;
  while (!latex.empty()) {
    const char c = latex[0];
    if (c == '\\') {
      AppendCommand(latex, text);
      continue;
    }
    if (!absl::StrContains("${}", std::string(1, c))) {
      text += c == '~' ? ' ' : c;
    }
    latex.remove_prefix(1);
  }
  return std::string(absl::StripAsciiWhitespace(text));
}

std::vector<std::string> LatexCells(absl::string_view row) {
  std::vector<std::string> cells;
  while (true) {
    const size_t end = FindUnescaped(row, '&');
    const absl::string_view cell = row.substr(0, end);
    cells.push_back(LatexText(cell));
    cells.resize(cells.size() + SpanOf(cell) - 1);
    if (end == absl::string_view::npos || cells.size() > kMaxCsvFields) {
      return cells;
    }
    row.remove_prefix(end + 1);
  }
}

}  // namespace lockstep
