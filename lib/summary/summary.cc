#include "lib/summary/summary.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/summary/card_parts.h"
#include "lib/summary/card_text.h"
#include "lib/summary/checklists.h"
#include "lib/summary/experiment_cards.h"
#include "lib/summary/int8_cards.h"
#include "lib/summary/lab_runs.h"
#include "lib/summary/lead.h"
#include "lib/summary/page_head.h"
#include "lib/summary/scaling_cards.h"
#include "lib/warnings/limits.h"
#include "lib/warnings/warnings.h"

namespace lockstep {
namespace {

proto::QuestionChip ChipOf(const proto::SummaryCard& card) {
  proto::QuestionChip chip;
  chip.set_question(card.question());
  chip.set_state(card.state());
  return chip;
}

}  // namespace

std::vector<proto::SummaryCard> QuestionCards(const LabRecords& lab) {
  return {CardQ1(lab), CardQ2(lab), CardQ3(lab), CardQ4(lab), CardQ5(lab), CardQ6(lab),
          CardQ7(lab), CardB1(lab), CardB2(lab), CardB3(lab), CardB4(lab), CardB5(lab)};
}

proto::Section SummarySection(const LabRecords& lab, CardsOf which) {
  proto::Section section;
  section.set_id("summary");
  section.set_title("Summary");
  section.set_role(proto::CARD);
  proto::Summary& summary = *section.mutable_summary();
  summary.set_title(ReportTitle(lab));
  summary.set_scope(ReportScope(lab));
  for (std::string& badge : Badges(lab)) {
    summary.add_badge(std::move(badge));
  }
  const std::vector<Warning> named = NamedWarnings(lab);
  const std::vector<Warning> warnings = WarningsOnPage(named);
  if (!warnings.empty()) {
    *summary.mutable_warning_chip() = MakeWarningChip(warnings);
  }
  for (const Warning& warning : warnings) {
    section.add_warning(warning.text);
  }
  for (std::string& sentence : LimitSentences(named)) {
    summary.add_limit(std::move(sentence));
  }
  summary.set_lead(LeadText(lab));
  const std::vector<proto::SummaryCard> cards = QuestionCards(lab);
  for (const proto::SummaryCard& card : cards) {
    const bool shown =
        which == CardsOf::kAllQuestions || card.state() != proto::NO_ANSWER || IsAsked(lab, card.question());
    proto::QuestionChip& chip = *summary.add_chip();
    chip = ChipOf(card);
    chip.set_link(shown ? absl::StrCat("card-", card.question()) : "missing");
    if (shown) {
      *summary.add_card() = card;
    }
  }
  summary.set_answers(AnswersText({summary.chip().begin(), summary.chip().end()}));
  *summary.mutable_trust() = TrustCard(lab, warnings);
  const CommandPlace place = which == CardsOf::kAllQuestions ? CommandPlace::kCards : CommandPlace::kItems;
  *summary.mutable_missing() = MissingCard(lab, cards, place);
  for (proto::LabRun& run : LabRuns(lab)) {
    *summary.add_run() = std::move(run);
  }
  return section;
}

}  // namespace lockstep
