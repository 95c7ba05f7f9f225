#include "lib/page/latex.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/page/latex_parts.h"
#include "lib/page/latex_table.h"
#include "lib/page/latex_text.h"
#include "lib/page/summary_text.h"

namespace lockstep {
namespace {

class LatexWriter {
 public:
  LatexWriter(const std::vector<proto::Section>& sections, const DrawnPlots& plots, const std::string& stem)
      : plots_(plots), stem_(stem) {
    for (const proto::Section& section : sections) {
      for (const proto::Claim& claim : section.claim()) {
        targets_.insert(section.role() == proto::CARD ? "" : AnswerName(claim));
      }
    }
  }

  LatexReport Write(const LatexHead& head, const std::vector<proto::Section>& sections) {
    std::string& out = report_.document;
    out = LatexBegin(head);
    for (const proto::Section& section : sections) {
      AppendSection(section);
    }
    AppendLegend(sections);
    out += "\\end{document}\n";
    return std::move(report_);
  }

 private:
  static std::string AnswerName(const proto::Claim& claim) {
    return LatexName(absl::StrCat("answer-", claim.question()));
  }

  void Append(absl::string_view text) { absl::StrAppend(&report_.document, text); }

  void AppendSection(const proto::Section& section) {
    const bool card = section.role() == proto::CARD;
    Append(absl::StrCat("\\section{", EscapeLatex(section.title()), "}\n"));
    if (card) {
      AppendSummary(section.summary());
      AppendVerdicts(section);
    }
    for (const std::string& warning : section.warning()) {
      Append(absl::StrCat("\\par\\textbf{Warning.} ", EscapeLatex(warning), "\\par\n"));
    }
    if (!card) {
      AppendClaims(section);
    }
    for (const std::string& paragraph : section.paragraph()) {
      Append(absl::StrCat("\\par ", EscapeLatex(paragraph), "\\par\n"));
    }
    for (int i = 0; card && i < section.table_size(); ++i) {
      AppendTable(section, i);
    }
    AppendPlots(section);
    for (int i = 0; !card && i < section.table_size(); ++i) {
      AppendTable(section, i);
    }
  }

  void AppendLine(const std::string& line) {
    Append(line.empty() ? "" : absl::StrCat("\\par ", EscapeLatex(line), "\\par\n"));
  }

  void AppendHeading(const std::string& heading) {
    Append(absl::StrCat("\\par\\smallskip\\textbf{", EscapeLatex(heading), "}\\par\n"));
  }

  void AppendSummary(const proto::Summary& summary) {
    AppendLine(summary.scope());
    AppendLine(absl::StrJoin(summary.badge(), "; "));
    AppendLine(summary.lead());
    AppendLine(summary.answers().empty() ? "" : absl::StrCat(summary.answers(), "."));
    for (const proto::Checklist* list : {&summary.trust(), &summary.missing()}) {
      if (!list->title().empty()) {
        AppendHeading(absl::StrCat(list->title(), " ", list->verdict()));
      }
      for (const proto::CheckItem& item : list->item()) {
        AppendLine(absl::StrCat(CheckStateText(item.state()), ": ", item.text(), item.command().empty() ? "" : " ",
                                item.command()));
      }
    }
    for (const proto::SummaryCard& card : summary.card()) {
      AppendHeading(absl::StrCat(card.question(), ". ", card.asked()));
      AppendLine(card.verdict());
      const std::string headline = HeadlineText(card.headline());
      AppendLine(headline.empty() ? "" : absl::StrCat(headline, "."));
      for (const std::string& support : card.support()) {
        AppendLine(support);
      }
      AppendLine(card.absent_reason().empty()
                     ? ""
                     : absl::StrCat("No answer yet. ", card.absent_reason(),
                                    card.command().empty() ? "" : " Command: ", card.command()));
    }
  }

  void AppendVerdicts(const proto::Section& section) {
    for (const proto::Claim& claim : section.claim()) {
      const std::string link = LatexName(claim.link());
      Append(absl::StrCat("\\par\\textbf{", EscapeLatex(claim.question()), "} ", EscapeLatex(claim.text()),
                          targets_.count(link) == 0 ? "" : absl::StrCat(" (page~\\pageref{", link, "})"), "\\par\n"));
    }
  }

  void AppendClaims(const proto::Section& section) {
    for (const proto::Claim& claim : section.claim()) {
      const std::string name = AnswerName(claim);
      Append(absl::StrCat("\\par\\smallskip\\textbf{", EscapeLatex(claim.question()),
                          claim.question().empty() ? "" : ". ", EscapeLatex(claim.asked()), "}",
                          labelled_.insert(name).second ? absl::StrCat("\\label{", name, "}") : "", "\\par\n"));
      if (!claim.absent_reason().empty()) {
        Append(absl::StrCat("No answer: ", EscapeLatex(claim.absent_reason()), ".\\par\n"));
        continue;
      }
      Append(absl::StrJoin(absl::StrSplit(TextWithReferences(claim), '\n'), "\\par\n",
                           [](std::string* out, absl::string_view line) { absl::StrAppend(out, EscapeLatex(line)); }));
      Append("\\par\n");
      if (!claim.source().empty()) {
        Append(absl::StrCat("{\\footnotesize\\raggedright From ",
                            EscapeLatex(absl::StrJoin(CondensedSources(claim), ", ")), "\\par}\n"));
      }
    }
  }

  // Appends a table. The lab's own tables have an id, and keep their numbers.
  void AppendTable(const proto::Section& section, int i) {
    const proto::Table& table = section.table(i);
    const std::string name = LatexName(table.id().empty() ? absl::StrCat(section.id(), "-table", i + 1) : table.id());
    if (const int number = NumberInCaption(table.caption()); number > 0 && !table.id().empty()) {
      Append(absl::StrCat("\\setcounter{table}{", number - 1, "}\n"));
    }
    const std::string text = LatexTable(table, name);
    if (stem_.empty()) {
      Append(text);
      return;
    }
    const std::string file = absl::StrCat(stem_, ".", name, ".tex");
    Append(absl::StrCat("\\input{", file, "}\n"));
    report_.pieces.push_back({file, text});
  }

  // Appends the plots; those of a group in pairs, side by side.
  void AppendPlots(const proto::Section& section) {
    int in_group = 0;
    for (int i = 0; i < section.plot_size(); ++i) {
      const std::string& group = section.plot(i).group();
      in_group = i > 0 && group == section.plot(i - 1).group() ? in_group + 1 : 0;
      const bool right = !group.empty() && in_group % 2 == 1;
      Append(right ? "\\hfill\n" : "\\par\\medskip\\noindent\n");
      Append(LatexPlot(section.plot(i), plots_, group.empty() ? 1 : 0.49));
    }
    Append(section.plot().empty() ? "" : "\\par\n");
  }

  void AppendLegend(const std::vector<proto::Section>& sections) {
    Append("\\section{How to read the numbers and words}\n");
    for (const ProvenanceMark& mark : ProvenanceMarks()) {
      Append(absl::StrCat("\\par\\textsuperscript{", mark.letter, "} ", mark.name, ": ", EscapeLatex(mark.meaning),
                          ".\n"));
    }
    Append(
        absl::StrCat("\\par A mark in a column heading applies to all numbers of the column. A dash is a missing "
                     "number; its note gives the reason. ",
                     EscapeLatex(kSpreadLegend), ".\\par\n"));
    for (const proto::Section& section : sections) {
      for (const proto::Term& term : section.term()) {
        Append(absl::StrCat("\\par\\textbf{", EscapeLatex(term.name()), "}: ", EscapeLatex(term.meaning()), "\n"));
      }
    }
  }

  const DrawnPlots& plots_;
  const std::string stem_;
  std::set<std::string> targets_;   // targets to which verdicts can refer
  std::set<std::string> labelled_;  // targets that already have a label
  LatexReport report_;
};

}  // namespace

LatexReport RenderLatex(const LatexHead& head, const std::vector<proto::Section>& sections, const DrawnPlots& plots,
                        const std::string& stem) {
  return LatexWriter(sections, plots, stem).Write(head, sections);
}

}  // namespace lockstep
