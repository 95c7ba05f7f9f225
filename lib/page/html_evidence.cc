#include "lib/page/html_evidence.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/page/escape.h"
#include "lib/page/render.h"

namespace lockstep {
namespace {

std::string ClaimHtml(const proto::Claim& claim) {
  if (!claim.absent_reason().empty()) {
    return absl::StrCat("<p class=\"absent\">No answer: ", EscapeHtml(claim.absent_reason()), ".</p>\n");
  }
  std::string html;
  for (const absl::string_view line : absl::StrSplit(TextWithReferences(claim), '\n', absl::SkipEmpty())) {
    absl::StrAppend(&html, "<p>", EscapeHtml(line), "</p>\n");
  }
  const std::string sources =
      absl::StrJoin(CondensedSources(claim), ", ", [](std::string* text, const std::string& source) {
        absl::StrAppend(text, "<code>", EscapeHtml(source), "</code>");
      });
  return absl::StrCat(html, sources.empty() ? "" : absl::StrCat("<p class=\"sources\">From ", sources, "</p>\n"));
}

// Returns the claims from `first` to before `end`, which answer one question.
std::string AnswerHtml(const proto::Section& section, int first, int end) {
  const proto::Claim& claim = section.claim(first);
  std::string html =
      absl::StrCat("<details class=\"box\"><summary><span role=\"heading\" aria-level=\"3\"><span class=\"question\">",
                   EscapeHtml(claim.question()), "</span> ", EscapeHtml(claim.asked()),
                   "</span></summary>\n<div class=\"evidence\" id=\"answer-", EscapeHtml(claim.question()), "\">\n",
                   ClaimHtml(claim));
  for (int i = first + 1; i < end; ++i) {
    const std::string& asked = section.claim(i).asked();
    absl::StrAppend(&html,
                    asked.empty() || asked == section.claim(i - 1).asked()
                        ? ""
                        : absl::StrCat("<p class=\"asked\">", EscapeHtml(asked), "</p>\n"),
                    ClaimHtml(section.claim(i)));
  }
  return absl::StrCat(html, "</div></details>\n");
}

std::string WarningHtml(const std::string& warning) {
  return absl::StrCat("<p class=\"warning\"><strong>Warning.</strong> ", EscapeHtml(warning), "</p>\n");
}

}  // namespace

void AppendEvidence(const proto::Section& section, std::string& out) {
  std::string answers;
  for (int first = 0; first < section.claim_size();) {
    const std::string& question = section.claim(first).question();
    int end = first + 1;
    while (!question.empty() && end < section.claim_size() && section.claim(end).question() == question) {
      ++end;
    }
    answers += question.empty() ? absl::StrCat("<div class=\"evidence\">", ClaimHtml(section.claim(first)), "</div>\n")
                                : AnswerHtml(section, first, end);
    first = end;
  }
  absl::StrAppend(&out, answers.empty() ? "" : absl::StrCat("<div class=\"closed\">\n", answers, "</div>\n"));
}

void AppendVerdicts(const proto::Section& section, std::string& out) {
  if (section.claim().empty()) {
    return;
  }
  out += "<ul class=\"answers\">\n";
  for (const proto::Claim& claim : section.claim()) {
    absl::StrAppend(&out, "<li><span class=\"question\">", EscapeHtml(claim.question()), "</span> ",
                    EscapeHtml(claim.text()), " <a href=\"#", EscapeHtml(claim.link()), "\" aria-label=\"details on ",
                    EscapeHtml(claim.question()), "\">details</a></li>\n");
  }
  out += "</ul>\n";
}

void AppendWarnings(const proto::Section& section, std::string& out) {
  constexpr int kOpenWarnings = 2;
  const int open = section.warning_size() <= kOpenWarnings + 1 ? section.warning_size() : kOpenWarnings;
  for (int i = 0; i < open; ++i) {
    out += WarningHtml(section.warning(i));
  }
  if (open < section.warning_size()) {
    absl::StrAppend(&out, "<details class=\"more\"><summary>", section.warning_size() - open,
                    " more warnings</summary>\n");
    for (int i = open; i < section.warning_size(); ++i) {
      out += WarningHtml(section.warning(i));
    }
    out += "</details>\n";
  }
}

void AppendParagraphs(const proto::Section& section, std::string& out) {
  for (const std::string& paragraph : section.paragraph()) {
    absl::StrAppend(&out, "<p class=\"text\">", EscapeHtml(paragraph), "</p>\n");
  }
}

}  // namespace lockstep
