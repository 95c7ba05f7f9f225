#include "lib/report/page_check_testing.h"

#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace lockstep::testing {
namespace {

const std::set<std::string>& Tags() {
  static const auto* tags = new std::set<std::string>{
      "a",      "article", "b",          "body",   "br",     "circle", "code",  "dd",      "details", "div",
      "dl",     "dt",      "figcaption", "figure", "footer", "g",      "h1",    "h2",      "h3",      "head",
      "header", "html",    "li",         "line",   "main",   "meta",   "nav",   "ol",      "p",       "path",
      "pre",    "rect",    "section",    "small",  "span",   "strong", "style", "summary", "sup",     "svg",
      "table",  "tbody",   "td",         "text",   "th",     "thead",  "title", "tr",      "ul"};
  return *tags;
}

bool HasNoEnd(absl::string_view tag) { return tag == "br" || tag == "meta"; }

// Reads the attributes up to '>', or "/>" of an element of SVG, and removes them from `html`. Sets `ended` for "/>".
bool TakeAttributes(absl::string_view& html, bool& ended) {
  while (!html.empty() && html[0] != '>') {
    if (absl::ConsumePrefix(&html, "/>")) {
      ended = true;
      return true;
    }
    if (html[0] == ' ') {
      html.remove_prefix(1);
      continue;
    }
    const size_t equals = html.find_first_of("= <>\"'&");
    if (equals == 0 || equals == absl::string_view::npos || html[equals] != '=' || html.substr(equals + 1, 1) != "\"") {
      return false;
    }
    const size_t end = html.find('"', equals + 2);
    const absl::string_view value = html.substr(equals + 2, end == absl::string_view::npos ? 0 : end - equals - 2);
    if (end == absl::string_view::npos || absl::StrContains(value, "<")) {
      return false;
    }
    html.remove_prefix(end + 1);
  }
  return absl::ConsumePrefix(&html, ">");
}

bool TakeTag(absl::string_view& html, std::vector<std::string>& open) {
  const bool closes = absl::ConsumePrefix(&html, "/");
  size_t length = 0;
  while (length < html.size() && absl::ascii_isalnum(static_cast<unsigned char>(html[length]))) {
    ++length;
  }
  const std::string tag(html.substr(0, length));
  html.remove_prefix(length);
  bool ended = false;
  if (Tags().count(tag) == 0 || !TakeAttributes(html, ended)) {
    return false;
  }
  if (closes) {
    const bool matches = !open.empty() && open.back() == tag;
    open.resize(open.size() - (matches ? 1 : 0));
    return matches;
  }
  if (!HasNoEnd(tag) && !ended) {
    open.push_back(tag);
  }
  if (tag == "style") {  // the text of <style> is not markup
    html.remove_prefix(std::min(html.find("</style>"), html.size()));
  }
  return true;
}

bool TakeEntity(absl::string_view html) {
  const absl::string_view name = html.substr(0, std::min(html.find(';'), html.size()));
  if (absl::ConsumePrefix(&html, "#")) {
    return name.size() > 1 && html.find_first_not_of("0123456789") == name.size() - 1;
  }
  return name == "amp" || name == "lt" || name == "gt" || name == "quot" || name == "apos";
}

// Returns the number of cells in a table row: of bars that are not escaped.
int Bars(absl::string_view line) {
  int bars = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++bars;
    }
  }
  return bars;
}

}  // namespace

std::string WhyNotWellFormed(absl::string_view html) {
  std::vector<std::string> open;
  absl::string_view rest = html;
  absl::ConsumePrefix(&rest, "<!DOCTYPE html>");
  while (true) {
    const size_t next = rest.find_first_of("<&");
    if (next == absl::string_view::npos) {
      return open.empty() ? "" : absl::StrCat("<", open.back(), "> is not closed");
    }
    const absl::string_view at = rest.substr(next, 80);
    const bool tag = rest[next] == '<';
    rest.remove_prefix(next + 1);
    if (tag ? !TakeTag(rest, open) : !TakeEntity(rest)) {
      return absl::StrCat("no markup of ours: ", at);
    }
  }
}

std::string WhyTablesBreak(absl::string_view markdown) {
  int expected = 0;  // bars of the table that contains the line before; 0: no table
  for (const absl::string_view line : absl::StrSplit(markdown, '\n')) {
    const int bars = absl::StartsWith(line, "|") ? Bars(line) : 0;
    if (bars > 0 && expected > 0 && bars != expected) {
      return std::string(line);
    }
    expected = bars;
  }
  return "";
}

}  // namespace lockstep::testing
