#include "lib/summary/card_parts.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/lab_records/dataset_facts.h"
#include "lib/summary/card_text.h"
#include "lib/wording/cell.h"
#include "lib/wording/excluded_answers.h"
#include "lib/wording/question_commands.h"

namespace lockstep {
namespace {

bool HasExperiment(const LabRecords& lab, proto::Experiment experiment) {
  return std::any_of(lab.scales.begin(), lab.scales.end(),
                     [&](const LabScale& scale) { return scale.spec.experiment() == experiment; });
}

// Returns the question in a few words: "Which batch is fastest?" for "Q1".
std::string AskedText(absl::string_view question) {
  static const auto* const asked = new std::map<std::string, std::string, std::less<>>{
      {"Q1", "Which batch is fastest?"},
      {"Q2", "How well does training scale?"},
      {"Q3", "How much time is communication?"},
      {"Q4", "What repairs a large batch?"},
      {"Q5", "Does the sampler need the epoch?"},
      {"Q6", "What is sent besides gradients?"},
      {"Q7", "Are gradients alone enough?"},
      {"B1", "Which range do the weights need?"},
      {"B2", "What do int8 weights cost?"},
      {"B3", "Which range do the activations need?"},
      {"B4", "What do int8 weights and activations cost?"},
      {"B5", "What do int32 biases cost?"},
  };
  const auto found = asked->find(question);
  return found == asked->end() ? "" : found->second;
}

}  // namespace

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

proto::SummaryCard AnsweredCard(absl::string_view question, const CardVerdict& verdict,
                                const std::vector<std::string>& sources) {
  proto::SummaryCard card;
  card.set_question(std::string(question));
  card.set_asked(AskedText(question));
  card.set_verdict(verdict.text);
  card.set_state(verdict.state);
  card.mutable_source()->Add(sources.begin(), sources.end());
  AddLink("evidence", absl::StrCat("answer-", question), card);
  return card;
}

proto::SummaryCard UnansweredCard(const LabRecords& lab, absl::string_view question, absl::string_view reason) {
  proto::SummaryCard card;
  card.set_question(std::string(question));
  card.set_asked(AskedText(question));
  card.set_state(proto::NO_ANSWER);
  const DatasetFacts facts = FactsOfDataset(lab);
  const std::string why_none = WhyNoCommands(question, facts);
  card.set_absent_reason(why_none.empty() ? std::string(reason) : absl::StrCat(Capitalized(why_none), "."));
  card.set_command(absl::StrJoin(CommandsFor(question, facts), " && "));
  card.set_duration(DurationOf(question, facts));
  return card;
}

void SetHeadline(const std::string& number, const std::string& unit, const std::vector<std::string>& base,
                 proto::SummaryCard& card) {
  proto::Headline& headline = *card.mutable_headline();
  headline.set_number(number);
  headline.set_unit(unit);
  headline.mutable_base()->Add(base.begin(), base.end());
}

void SetExact(const Spread& spread, absl::string_view unit, absl::string_view meaning, proto::SummaryCard& card) {
  if (spread.repeated) {
    card.mutable_headline()->set_exact(
        absl::StrCat(FormatInterval(spread.mean, spread.low, spread.high), " ", unit, ": ", meaning));
  }
}

void AddSupport(const std::string& text, proto::SummaryCard& card) {
  if (!text.empty() && static_cast<size_t>(card.support_size()) < kMaxSupport) {
    card.add_support(text);
  }
}

void AddLink(absl::string_view text, absl::string_view target, proto::SummaryCard& card) {
  proto::CardLink& link = *card.add_link();
  link.set_text(std::string(text));
  link.set_target(std::string(target));
  for (int i = card.link_size() - 1; i > 0 && card.link(i - 1).text() == "evidence"; --i) {
    card.mutable_link()->SwapElements(i - 1, i);
  }
}

Spread SpreadIn(const proto::Quantity& quantity, double unit) {
  const bool has_interval = quantity.has_low() && quantity.has_high();
  return {quantity.value() / unit, (has_interval ? quantity.low() : quantity.value()) / unit,
          (has_interval ? quantity.high() : quantity.value()) / unit, has_interval};
}

}  // namespace lockstep
