#include "lib/report/arrange.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_values.h"
#include "lib/report/findings.h"
#include "lib/report/glossary.h"
#include "lib/report/lab_tables.h"
#include "lib/report/run_names.h"
#include "lib/report/tables.h"
#include "lib/summary/card_parts.h"
#include "lib/summary/summary.h"

namespace lockstep {
namespace {

// Returns true for sections at the end of the page.
bool IsOfTheEnd(const proto::Section& section) {
  return section.id() == "methods" || section.id() == "machine" || section.id() == "records";
}

// Removes unanswered questions that no given record could answer. One line names them.
void KeepAsked(const LabRecords& lab, proto::Section& answers) {
  std::vector<proto::Claim> kept;
  std::vector<std::string> left_out;
  for (const proto::Claim& claim : answers.claim()) {
    if (!claim.text().empty() || IsAsked(lab, claim.question())) {
      kept.push_back(claim);
    } else {
      left_out.push_back(claim.question());
    }
  }
  *answers.mutable_claim() = {kept.begin(), kept.end()};
  if (!left_out.empty()) {
    answers.add_paragraph(absl::StrCat("No input record is about ", absl::StrJoin(left_out, ", "),
                                       ". --style=lab prints the commands that would answer them."));
  }
}

bool IsBlank(const proto::Table& table) { return !table.absent_reason().empty(); }

// Returns true if a section has more than blank tables with their reasons.
bool HoldsSomething(const proto::Section& section) {
  return !section.claim().empty() || !section.plot().empty() || !section.paragraph().empty() ||
         std::any_of(section.table().begin(), section.table().end(),
                     [](const proto::Table& table) { return !IsBlank(table); });
}

// Replaces the blank tables of a section by one line.
void GatherBlanks(proto::Section& section) {
  std::vector<std::string> blanks;
  std::vector<proto::Table> kept;
  for (proto::Table& table : *section.mutable_table()) {
    if (IsBlank(table)) {
      blanks.push_back(absl::StrCat(table.caption(), " (", table.absent_reason(), ")"));
    } else {
      kept.push_back(std::move(table));
    }
  }
  *section.mutable_table() = {std::make_move_iterator(kept.begin()), std::make_move_iterator(kept.end())};
  if (!blanks.empty()) {
    section.add_paragraph(absl::StrCat("Not in these records: ", absl::StrJoin(blanks, "; "), "."));
  }
}

// Moves the plots of all sections to a section of their own. Plots under a closed heading stay.
proto::Section TakeFigures(std::vector<proto::Section>& sections) {
  proto::Section figures;
  figures.set_id("figures");
  figures.set_title("Figures");
  for (proto::Section& section : sections) {
    std::vector<proto::Plot> kept;
    for (proto::Plot& plot : *section.mutable_plot()) {
      if (plot.group().empty()) {
        *figures.add_plot() = std::move(plot);
      } else {
        kept.push_back(std::move(plot));
      }
    }
    *section.mutable_plot() = {std::make_move_iterator(kept.begin()), std::make_move_iterator(kept.end())};
  }
  return figures;
}

// Removes the links of cards whose target is not on the page.
void KeepLinks(const std::vector<proto::Section>& page, proto::Summary& summary) {
  std::set<std::string> targets;
  for (const proto::Section& section : page) {
    for (const proto::Claim& claim : section.claim()) {
      targets.insert(absl::StrCat("answer-", claim.question()));
    }
    for (const proto::Table& table : section.table()) {
      targets.insert(table.id());
    }
    for (const proto::Plot& plot : section.plot()) {
      targets.insert(absl::StrCat("plot-", plot.id()));
    }
  }
  for (proto::SummaryCard& card : *summary.mutable_card()) {
    auto& links = *card.mutable_link();
    links.erase(std::remove_if(links.begin(), links.end(),
                               [&](const proto::CardLink& link) { return targets.count(link.target()) == 0; }),
                links.end());
  }
}

}  // namespace

absl::StatusOr<PageStyle> ParsePageStyle(absl::string_view name) {
  if (name.empty() || name == "given") {
    return PageStyle::kGiven;
  }
  if (name == "lab") {
    return PageStyle::kLab;
  }
  return CheckFlagWord("style", std::string(name), {"given", "lab"});
}

ReportPages ArrangePages(const LabRecords& lab, PageStyle style) {
  std::vector<proto::Section> sections = BuildSections(lab);
  NameRunsByLetter(lab, sections);
  for (proto::Section& section : sections) {
    section.clear_warning();  // the summary has them
  }
  ReportPages pages;
  std::vector<proto::Section> details, end;
  pages.page.push_back(
      SummarySection(lab, style == PageStyle::kLab ? CardsOf::kAllQuestions : CardsOf::kAskedQuestions));
  for (const proto::Section& section : {LabTablesSection(lab), TakeFigures(sections)}) {
    if (HoldsSomething(section)) {
      pages.page.push_back(section);
    }
  }
  for (proto::Section& section : sections) {
    if (section.id() == "audit") {
      pages.audit.push_back(std::move(section));
      continue;
    }
    if (section.id() != "answers") {
      section.set_role(proto::DETAIL);
    }
    if (style == PageStyle::kGiven) {
      if (section.id() == "answers") {
        KeepAsked(lab, section);
      }
      if (!HoldsSomething(section)) {
        continue;
      }
      GatherBlanks(section);
    }
    (section.id() == "answers" ? pages.page : IsOfTheEnd(section) ? end : details).push_back(std::move(section));
  }
  for (std::vector<proto::Section>* part : {&details, &end}) {
    pages.page.insert(pages.page.end(), std::make_move_iterator(part->begin()), std::make_move_iterator(part->end()));
  }
  KeepLinks(pages.page, *pages.page.front().mutable_summary());
  AddFindings(pages.page.front().summary(), pages.page);
  for (std::vector<proto::Section>* of_page : {&pages.page, &pages.audit}) {
    if (!of_page->empty()) {
      const std::vector<proto::Term> terms = GlossaryOf(*of_page);
      of_page->front().mutable_term()->Add(terms.begin(), terms.end());
    }
  }
  return pages;
}

}  // namespace lockstep
