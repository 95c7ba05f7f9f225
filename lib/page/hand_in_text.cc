#include "lib/page/hand_in_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/utf8.h"

namespace lockstep {
namespace {

// Returns the lines of `text` as one.
std::string OneLine(absl::string_view text) {
  std::string line;
  for (const absl::string_view part : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const bool ended = line.empty() || line.back() == '.' || line.back() == ':';
    absl::StrAppend(&line, line.empty() ? "" : ended ? " " : "; ", part);
  }
  return line;
}

bool NamesTitle(absl::string_view clause, const std::vector<std::string>& titles) {
  size_t open = clause.find('"');
  while (open != absl::string_view::npos) {
    const size_t close = clause.find('"', open + 1);
    if (close == absl::string_view::npos) {
      return false;
    }
    const absl::string_view quoted = clause.substr(open + 1, close - open - 1);
    const bool known = !quoted.empty() && std::any_of(titles.begin(), titles.end(), [&](const std::string& title) {
      return absl::StartsWith(title, quoted);
    });
    if (known) {
      return true;
    }
    open = clause.find('"', close + 1);
  }
  return false;
}

// Returns the length of the first clause of `line`, with the space after it.
size_t ClauseLength(absl::string_view line) {
  const size_t end = std::min(line.find("; "), line.find(". "));
  return end == absl::string_view::npos ? line.size() : end + 2;
}

std::string KeptClauses(absl::string_view line, const std::vector<std::string>& titles) {
  std::string kept;
  while (!line.empty()) {
    const absl::string_view clause = line.substr(0, ClauseLength(line));
    absl::StrAppend(&kept, NamesTitle(clause, titles) ? "" : clause);
    line.remove_prefix(clause.size());
  }
  absl::string_view trimmed = absl::StripTrailingAsciiWhitespace(kept);
  absl::ConsumeSuffix(&trimmed, ";");
  return std::string(trimmed);
}

}  // namespace

std::string ShortenedLine(absl::string_view text, size_t bytes) {
  const std::string line = OneLine(text);
  const absl::string_view start = FirstBytes(line, bytes);
  if (start.size() == line.size()) {
    return line;
  }
  const size_t sentence = start.rfind(". ");
  return sentence == absl::string_view::npos ? absl::StrCat(start, "...") : std::string(start.substr(0, sentence + 1));
}

std::string WithoutReferences(absl::string_view text, const std::vector<std::string>& titles) {
  std::string kept;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::string clauses = KeptClauses(line, titles);
    absl::StrAppend(&kept, kept.empty() || clauses.empty() ? "" : "\n", clauses);
  }
  return kept;
}

}  // namespace lockstep
