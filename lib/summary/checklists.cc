#include "lib/summary/checklists.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/answer_rows.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/summary/card_text.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"

namespace lockstep {
namespace {

constexpr size_t kMaxPredictions = 2;  // unmeasured predictions that are listed
constexpr size_t kWorstBytes = 160;    // a longer warning is cut in the chip

void AddItem(proto::CheckState state, const std::string& text, proto::Checklist& card) {
  proto::CheckItem& item = *card.add_item();
  item.set_state(state);
  item.set_text(text);
}

// Returns the phrases of the rules of this severity, each once, the worst first. `counted`: a phrase of several
// warnings ends with their number: "a noisy machine (2 warnings)".
std::vector<std::string> Phrases(const TrustFacts& facts, Severity severity, bool counted = false) {
  std::vector<std::string> phrases;
  std::vector<size_t> counts;
  for (const Warning& warning : facts.warnings) {
    const RuleSeverity rule = SeverityOf(warning.rule);
    if (rule.severity != severity) {
      continue;
    }
    const auto known = std::find(phrases.begin(), phrases.end(), rule.phrase);
    if (known == phrases.end()) {
      phrases.push_back(rule.phrase);
      counts.push_back(1);
    } else {
      ++counts[static_cast<size_t>(known - phrases.begin())];
    }
  }
  for (size_t i = 0; counted && i < phrases.size(); ++i) {
    if (counts[i] > 1) {
      absl::StrAppend(&phrases[i], " (", counts[i], " warnings)");
    }
  }
  return phrases;
}

// --- Trust ---

// Counts the completed points of sweeps and scaling runs, and those that the machine's noise affected.
void CountTimedPoints(const LabRecords& lab, TrustFacts& facts) {
  const auto count = [&](const auto& point) {
    ++facts.timed_points;
    facts.noisy_points += point.noise_warning().empty() ? 0 : 1;
  };
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint* point : CompletedPoints(sweep)) {
      count(*point);
    }
  }
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      if (point.outcome() == proto::COMPLETED) {
        count(point);
      }
    }
  }
}

TrustFacts TrustFactsOf(const LabRecords& lab, const std::vector<Warning>& warnings) {
  TrustFacts facts;
  facts.warnings = warnings;
  CountTimedPoints(lab, facts);
  facts.points = facts.timed_points;
  for (const LabQuantized& file : lab.quantized) {
    facts.points += file.networks.size();
  }
  return facts;
}

// Returns true if at least half of the times were measured on a noisy machine.
bool IsMostlyNoise(const TrustFacts& facts) {
  return facts.noisy_points > 0 && 2 * facts.noisy_points >= facts.timed_points;
}

// Returns "Not the times: all 7 points were measured on a noisy machine."
std::string NoiseText(const TrustFacts& facts) {
  const bool all = facts.noisy_points == facts.timed_points;
  const std::string points = CountOf(facts.timed_points, "point");
  return absl::StrCat(all ? "Not the times: " : "Not most of the times: ",
                      !all
                          ? absl::StrCat(facts.noisy_points, " of ", points, facts.noisy_points == 1 ? " was" : " were")
                      : facts.timed_points == 1 ? "the only point was"
                                                : absl::StrCat("all ", points, " were"),
                      " measured on a noisy machine.");
}

void AddSums(const LabRecords& lab, proto::Checklist& card) {
  size_t passed = 0;
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      passed +=
          point.has_sum_check() && point.sum_check().absent_reason().empty() && point.sum_check().passed() ? 1 : 0;
    }
  }
  if (passed > 0) {
    AddItem(proto::CHECK_OK, absl::StrCat("The sums of gradients were checked at ", CountOf(passed, "point"), "."),
            card);
  }
}

void AddRepeats(const LabRecords& lab, proto::Checklist& card) {
  size_t repeated = 0;
  int least = 0;
  const auto add = [&](const proto::Samples& epochs) {
    if (epochs.value_size() >= static_cast<int>(kMinRepeats)) {
      least = repeated == 0 ? epochs.value_size() : std::min(least, epochs.value_size());
      ++repeated;
    }
  };
  for (const LabSweep& sweep : lab.sweeps) {
    for (const proto::SweepPoint& point : sweep.points) {
      add(point.step_seconds());
    }
  }
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      add(point.row().empty() ? point.epoch_seconds() : proto::Samples());
    }
  }
  if (repeated > 0) {
    AddItem(proto::CHECK_OK,
            absl::StrCat(CountOf(repeated, "point"), repeated == 1 ? " was" : " were", " timed ",
                         least == 2 ? "twice" : absl::StrCat(least, " times"), " or more."),
            card);
  }
}

void AddPredictions(const LabRecords& lab, proto::Checklist& card) {
  size_t measured = 0, inside = 0;
  for (const LabCommModel& file : lab.comm_models) {
    for (const proto::Prediction& prediction : file.predictions) {
      measured += prediction.has_inside_interval() ? 1 : 0;
      inside += prediction.inside_interval() ? 1 : 0;
    }
  }
  if (measured > 0) {
    AddItem(inside == measured ? proto::CHECK_OK : proto::CHECK_WARNING,
            absl::StrCat(inside, " of ", CountOf(measured, "prediction"), inside == 1 ? " holds" : " hold",
                         " within the stated interval."),
            card);
  }
}

// --- Missing ---

std::vector<std::string> QuestionsIn(const std::vector<proto::SummaryCard>& cards, proto::AnswerState state) {
  std::vector<std::string> questions;
  for (const proto::SummaryCard& card : cards) {
    if (card.state() == state) {
      questions.push_back(card.question());
    }
  }
  return questions;
}

void AddUnmeasuredPredictions(const LabRecords& lab, proto::Checklist& card) {
  size_t listed = 0;
  for (const LabCommModel& file : lab.comm_models) {
    for (const proto::Prediction& prediction : file.predictions) {
      if (prediction.epoch_seconds().has_value() && !prediction.measured_epoch_seconds().has_value() &&
          listed < kMaxPredictions) {
        ++listed;
        AddItem(
            proto::CHECK_MISSING,
            absl::StrCat(prediction.ranks(), " devices at batch ", FormatCount(prediction.batch_per_device()), ": ",
                         ShortSeconds(prediction.epoch_seconds().value()), " per epoch is predicted, not measured."),
            card);
      }
    }
  }
}

void AddLink(const LabRecords& lab, proto::Checklist& card) {
  const std::vector<ScalingView> views = ScalingViews(lab);
  const ScalingView* const view = MainScalingView(views);
  std::set<uint32_t> unmeasured;
  for (const proto::ScalingRow* row : view == nullptr ? std::vector<const proto::ScalingRow*>() : view->rows) {
    if (row->ranks() > 1 && !row->measured_link_bytes_per_second().has_value()) {
      unmeasured.insert(row->ranks());
    }
  }
  for (const uint32_t ranks : unmeasured) {
    AddItem(proto::CHECK_MISSING,
            absl::StrCat("The link between ", ranks, " devices was not measured alone, so no share of it is known."),
            card);
  }
}

// Questions that one command answers.
struct Answerable {
  std::vector<std::string> questions;
  std::string command;
  std::string duration;
};

// Adds `one` to the questions of its command.
void AddAnswerable(const proto::SummaryCard& one, std::vector<Answerable>& answerable) {
  const auto known = std::find_if(answerable.begin(), answerable.end(),
                                  [&](const Answerable& other) { return other.command == one.command(); });
  if (known == answerable.end()) {
    answerable.push_back({{one.question()}, one.command(), one.duration()});
  } else {
    known->questions.push_back(one.question());
  }
}

// Adds an item on the questions that each command would answer, and an item for each reason why the data set excludes
// some.
void AddUnanswered(const std::vector<proto::SummaryCard>& cards, CommandPlace place, proto::Checklist& card) {
  const bool in_cards = place == CommandPlace::kCards;
  std::vector<Answerable> answerable;
  std::map<std::string, std::vector<std::string>> excluded;  // questions by reason
  for (const proto::SummaryCard& one : cards) {
    if (one.state() == proto::NO_ANSWER) {
      if (one.command().empty()) {
        excluded[one.absent_reason()].push_back(one.question());
      } else {
        AddAnswerable(one, answerable);
      }
    }
  }
  for (const Answerable& one : answerable) {
    AddItem(proto::CHECK_MISSING,
            absl::StrCat("No record answers ", JoinAnd(one.questions), "; ",
                         in_cards ? "the command is in the card below"
                                  : absl::StrCat("this command does",
                                                 one.duration.empty() ? "" : absl::StrCat(", in ", one.duration)),
                         in_cards ? "." : ":"),
            card);
    card.mutable_item(card.item_size() - 1)->set_command(in_cards ? "" : one.command);
  }
  for (const auto& [reason, questions] : excluded) {
    AddItem(proto::CHECK_MISSING, absl::StrCat("No record answers ", JoinAnd(questions), ". ", reason), card);
  }
}

}  // namespace

size_t TrustFacts::CountOf(Severity severity) const {
  return static_cast<size_t>(std::count_if(warnings.begin(), warnings.end(), [&](const Warning& warning) {
    return SeverityOf(warning.rule).severity == severity;
  }));
}

CardVerdict JudgeTrust(const TrustFacts& facts) {
  using Facts = TrustFacts;
  static const auto* const rules = new std::vector<VerdictRule<Facts>>{
      {"nothing_measured", [](const Facts& f) { return f.points == 0; }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: the records hold no measurement."); }},
      {"wrong", [](const Facts& f) { return f.CountOf(Severity::kWrong) > 0; }, proto::ANSWERED,
       [](const Facts& f) { return absl::StrCat("Not all: there are ", JoinAnd(Phrases(f, Severity::kWrong)), "."); }},
      {"noise", IsMostlyNoise, proto::ANSWERED, NoiseText},
      {"weak", [](const Facts& f) { return f.CountOf(Severity::kWeak) > 0; }, proto::ANSWERED,
       [](const Facts& f) {
         return absl::StrCat("Mostly; the weakest point: ", Phrases(f, Severity::kWeak).front(), ".");
       }},
      {"facts", [](const Facts& f) { return f.CountOf(Severity::kFact) > 0; }, proto::ANSWERED,
       [](const Facts& f) {
         return absl::StrCat("Yes, for what was run: ", JoinAnd(Phrases(f, Severity::kFact)), ".");
       }},
      {"no_warning", [](const Facts&) { return true; }, proto::ANSWERED,
       [](const Facts&) { return std::string("Yes: no warning applies to them."); }},
  };
  return FirstVerdict(*rules, facts);
}

proto::Checklist TrustCard(const LabRecords& lab, const std::vector<Warning>& warnings) {
  const TrustFacts facts = TrustFactsOf(lab, warnings);
  proto::Checklist card;
  card.set_title("Can the numbers be trusted?");
  card.set_verdict(JudgeTrust(facts).text);
  AddSums(lab, card);
  AddRepeats(lab, card);
  AddPredictions(lab, card);
  for (const Severity severity : {Severity::kWrong, Severity::kWeak, Severity::kFact}) {
    for (const std::string& phrase : Phrases(facts, severity, /*counted=*/true)) {
      AddItem(proto::CHECK_WARNING, absl::StrCat(Capitalized(phrase), "."), card);
    }
  }
  return card;
}

proto::Checklist MissingCard(const LabRecords& lab, const std::vector<proto::SummaryCard>& cards, CommandPlace place) {
  proto::Checklist card;
  card.set_title("What is missing?");
  const std::vector<std::string> none = QuestionsIn(cards, proto::NO_ANSWER);
  const std::vector<std::string> partly = QuestionsIn(cards, proto::PARTLY);
  for (const proto::SummaryCard& one : cards) {
    if (one.state() == proto::PARTLY) {
      AddItem(proto::CHECK_WARNING, absl::StrCat(one.question(), ": ", one.verdict()), card);
    }
  }
  AddUnanswered(cards, place, card);
  AddUnmeasuredPredictions(lab, card);
  AddLink(lab, card);
  const std::string answers =
      none.empty() ? "" : absl::StrCat(none.size() == 1 ? "An answer to " : "Answers to ", JoinAnd(none));
  const std::string decisions =
      partly.empty() ? "" : absl::StrCat(partly.size() == 1 ? "a decision on " : "decisions on ", JoinAnd(partly));
  card.set_verdict(!none.empty() && !partly.empty() ? absl::StrCat(answers, "; ", decisions, ".")
                   : !none.empty()                  ? absl::StrCat(answers, ".")
                   : !partly.empty()                ? absl::StrCat(Capitalized(decisions), ".")
                   : card.item().empty()            ? "Nothing: every question of the lab is answered."
                                                    : "No answer; every question of the lab has one.");
  return card;
}

proto::WarningChip MakeWarningChip(const std::vector<Warning>& warnings) {
  proto::WarningChip chip;
  chip.set_count(static_cast<uint32_t>(warnings.size()));
  const std::string& text = warnings.front().text;
  const std::string phrase = Capitalized(SeverityOf(warnings.front().rule).phrase);
  chip.set_worst(text.size() <= kWorstBytes ? text : absl::StrCat(phrase, "."));
  return chip;
}

}  // namespace lockstep
