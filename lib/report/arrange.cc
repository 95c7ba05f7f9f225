#include "lib/report/arrange.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_values.h"
#include "lib/report/card.h"
#include "lib/report/glossary.h"
#include "lib/report/tables.h"

namespace lockstep {
namespace {

// Returns true for sections at the end of the page.
bool IsOfTheEnd(const proto::Section& section) { return section.id() == "machine" || section.id() == "records"; }

bool HasExperiment(const LabRecords& lab, proto::Experiment experiment) {
  return std::any_of(lab.scales.begin(), lab.scales.end(),
                     [&](const LabScale& scale) { return scale.spec.experiment() == experiment; });
}

// Returns true if a record was given that could answer the question.
bool IsAsked(const LabRecords& lab, absl::string_view question) {
  if (absl::StartsWith(question, "B")) {
    return !lab.quantized.empty();
  }
  if (question == "Q1") {
    return !lab.sweeps.empty();
  }
  if (question == "Q2" || question == "Q3") {
    return HasExperiment(lab, proto::EXPERIMENT_UNSPECIFIED);
  }
  return HasExperiment(lab, question == "Q4"   ? proto::LARGE_BATCH
                            : question == "Q5" ? proto::SAMPLER_EPOCH
                                               : proto::WHAT_IS_SENT);
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

// Moves the plot of speed-ups to the card, or else the first plot.
void MovePlotToCard(std::vector<proto::Section>& sections, proto::Section& card) {
  for (const char* wanted : {"speedup", ""}) {
    for (proto::Section& section : sections) {
      auto& plots = *section.mutable_plot();
      const auto found = std::find_if(plots.begin(), plots.end(),
                                      [&](const proto::Plot& plot) { return *wanted == '\0' || plot.id() == wanted; });
      if (found != plots.end()) {
        *card.add_plot() = *found;
        plots.erase(found);
        return;
      }
    }
  }
}

void FillCard(std::vector<proto::Section>& sections, proto::Section& card) {
  for (proto::Section& section : sections) {
    for (const std::string& warning : section.warning()) {
      card.add_warning(warning);
    }
    section.clear_warning();
  }
  MovePlotToCard(sections, card);
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
  proto::Section card = CardSection(lab);
  FillCard(sections, card);
  ReportPages pages;
  std::vector<proto::Section> end;
  pages.page.push_back(std::move(card));
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
    (IsOfTheEnd(section) ? end : pages.page).push_back(std::move(section));
  }
  pages.page.insert(pages.page.end(), std::make_move_iterator(end.begin()), std::make_move_iterator(end.end()));
  for (std::vector<proto::Section>* of_page : {&pages.page, &pages.audit}) {
    if (!of_page->empty()) {
      const std::vector<proto::Term> terms = GlossaryOf(*of_page);
      of_page->front().mutable_term()->Add(terms.begin(), terms.end());
    }
  }
  return pages;
}

}  // namespace lockstep
