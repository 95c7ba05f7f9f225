#include "lib/summary/scaling_verdicts.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "lib/summary/card_text.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

bool ByLow(const AtBatch& a, const AtBatch& b) { return a.value.low < b.value.low; }
bool ByHigh(const AtBatch& a, const AtBatch& b) { return a.value.high < b.value.high; }
bool ByMean(const AtBatch& a, const AtBatch& b) { return a.value.mean < b.value.mean; }

double LeastLow(const std::vector<AtBatch>& at) { return std::min_element(at.begin(), at.end(), ByLow)->value.low; }
double MostHigh(const std::vector<AtBatch>& at) { return std::max_element(at.begin(), at.end(), ByHigh)->value.high; }
const AtBatch& Least(const std::vector<AtBatch>& at) { return *std::min_element(at.begin(), at.end(), ByMean); }
const AtBatch& Most(const std::vector<AtBatch>& at) { return *std::max_element(at.begin(), at.end(), ByMean); }

// Returns "at every batch"; of one batch "at batch 512".
std::string Where(const std::vector<AtBatch>& at) {
  return at.size() == 1 ? absl::StrCat("at batch ", FormatCount(at.front().batch)) : "at every batch";
}

std::vector<AtBatch> RepeatedOf(const std::vector<AtBatch>& all) {
  std::vector<AtBatch> repeated;
  std::copy_if(all.begin(), all.end(), std::back_inserter(repeated),
               [](const AtBatch& at) { return at.value.repeated; });
  return repeated;
}

// --- Q1 ---

constexpr char kTooNoisy[] = "Not decided: the times are too noisy to name a fastest batch; ";

std::string FastestAlone(const BatchFacts& facts) {
  const size_t repeated = facts.Repeated().size();
  return absl::StrCat("Batch ", FormatCount(facts.Fastest().front()), " is the fastest of the ", repeated,
                      repeated == facts.seconds.size() ? " that were timed." : " that were repeated.");
}

// --- Q2 ---

bool SomeAboveIdeal(const ScalingFacts& facts) {
  return std::any_of(facts.efficiency.begin(), facts.efficiency.end(),
                     [](const AtBatch& at) { return at.value.low > kMaxEfficiency; });
}

// Returns true if scaling is clearly better at one batch than at another, and not good at both.
bool DependsOnBatch(const ScalingFacts& facts) {
  const AtBatch& worst = Least(facts.efficiency);
  const AtBatch& best = Most(facts.efficiency);
  return best.value.low > worst.value.high && best.value.low >= kGoodScaling;
}

std::string DependsText(const ScalingFacts& facts) {
  const AtBatch& worst = Least(facts.efficiency);
  const AtBatch& best = Most(facts.efficiency);
  return absl::StrCat("It depends on the batch: ", ShortPercent(worst.value.mean), " of ideal at batch ",
                      FormatCount(worst.batch), ", ", ShortPercent(best.value.mean), " at batch ",
                      FormatCount(best.batch), ".");
}

std::string AtLeastIdeal(const char* answer, const ScalingFacts& facts) {
  return absl::StrCat(answer, ": ", PercentRoundedDown(LeastLow(facts.efficiency)), " or more of ideal ",
                      Where(facts.efficiency), ".");
}

// --- Q3 ---

constexpr char kWaits[] = " of an epoch waits for it.";

TimedEpochs EpochsOf(const WaitingFacts& facts) {
  const bool is_repeated =
      std::any_of(facts.share.begin(), facts.share.end(), [](const AtBatch& at) { return at.value.repeated; });
  return is_repeated ? TimedEpochs::kSeveral : TimedEpochs::kOne;
}

std::string LittleText(const WaitingFacts& facts) {
  const TimedEpochs epochs = EpochsOf(facts);
  const std::string percent = epochs == TimedEpochs::kOne ? ShortPercent(Most(facts.share).value.mean)
                                                          : PercentRoundedUp(MostHigh(facts.share));
  return absl::StrCat("Little: ", WaitingShareText(percent, epochs), " waits for it.");
}

bool IsImpossible(const WaitingFacts& facts) { return !facts.share.empty() && Most(facts.share).value.mean > 1; }

bool IsBelowZero(const WaitingFacts& facts) { return !facts.share.empty() && Least(facts.share).value.mean < 0; }

std::string BelowZeroVerdict(const WaitingFacts& facts) {
  const AtBatch& least = Least(facts.share);
  return absl::StrCat("Not decided: the waiting is not measurable (below 0 by ", ShortPercent(-least.value.mean),
                      " of an epoch at batch ", FormatCount(least.batch), ").");
}

}  // namespace

std::vector<AtBatch> BatchFacts::Repeated() const { return RepeatedOf(seconds); }

std::vector<uint32_t> BatchFacts::Fastest() const {
  const std::vector<AtBatch> repeated = Repeated();
  std::vector<uint32_t> fastest;
  if (repeated.empty()) {
    return fastest;
  }
  const AtBatch& first = Least(repeated);
  fastest.push_back(first.batch);
  for (const AtBatch& at : repeated) {
    if (at.batch != first.batch && at.value.low <= first.value.high) {
      fastest.push_back(at.batch);
    }
  }
  return fastest;
}

bool BatchFacts::SomeFaster() const { return Fastest().size() < Repeated().size(); }

const Spread& BatchFacts::At(uint32_t batch) const {
  return std::find_if(seconds.begin(), seconds.end(), [&](const AtBatch& at) { return at.batch == batch; })->value;
}

CardVerdict JudgeBatches(const BatchFacts& facts) {
  using Rule = VerdictRule<BatchFacts>;
  static const auto* const rules = new std::vector<Rule>{
      {"none", [](const BatchFacts& f) { return f.seconds.empty(); }, proto::PARTLY,
       [](const BatchFacts&) { return std::string("Not decided: no batch was timed."); }},
      {"one_batch", [](const BatchFacts& f) { return f.seconds.size() == 1; }, proto::PARTLY,
       [](const BatchFacts& f) {
         return absl::StrCat("Not decided: only batch ", FormatCount(f.seconds.front().batch), " was timed.");
       }},
      {"not_repeated", [](const BatchFacts& f) { return f.Repeated().size() < 2; }, proto::PARTLY,
       [](const BatchFacts&) { return std::string("Not decided: one timed epoch per batch shows no spread."); }},
      {"all_overlap", [](const BatchFacts& f) { return f.Fastest().size() == f.Repeated().size(); }, proto::PARTLY,
       [](const BatchFacts& f) {
         return absl::StrCat(kTooNoisy, "the epochs of all ", f.Repeated().size(), " batches overlap.");
       }},
      {"some_overlap", [](const BatchFacts& f) { return f.Fastest().size() > 1; }, proto::PARTLY,
       [](const BatchFacts& f) {
         std::vector<uint32_t> fastest = f.Fastest();
         std::sort(fastest.begin(), fastest.end());
         return absl::StrCat(kTooNoisy, "the epochs of ", BatchesText(fastest), " overlap.");
       }},
      {"fastest_alone", [](const BatchFacts&) { return true; }, proto::ANSWERED, FastestAlone},
  };
  return FirstVerdict(*rules, facts);
}

CardVerdict JudgeScaling(const ScalingFacts& all) {
  ScalingFacts facts = all;
  facts.efficiency = RepeatedOf(all.efficiency);
  using Rule = VerdictRule<ScalingFacts>;
  static const auto* const rules = new std::vector<Rule>{
      {"shared_cpu", [](const ScalingFacts& f) { return f.shared_cpu; }, proto::PARTLY,
       [](const ScalingFacts& f) {
         return absl::StrCat("Not decided: the ", f.ranks, " ranks share one CPU, which says nothing about ", f.ranks,
                             " devices.");
       }},
      {"not_repeated", [](const ScalingFacts& f) { return f.efficiency.empty(); }, proto::PARTLY,
       [](const ScalingFacts&) { return std::string("Not decided: no speed-up was measured more than once."); }},
      {"unknown_base", [](const ScalingFacts& f) { return f.unknown_base; }, proto::PARTLY,
       [](const ScalingFacts&) {
         return std::string("Not decided: the time of one device may be from another machine.");
       }},
      {"above_ideal", SomeAboveIdeal, proto::PARTLY,
       [](const ScalingFacts& f) {
         return absl::StrCat("Not decided: a speed-up above ", f.ranks, " on ", f.ranks,
                             " devices means that the time of one device is too long.");
       }},
      {"slower", [](const ScalingFacts& f) { return MostHigh(f.efficiency) * f.ranks < 1; }, proto::ANSWERED,
       [](const ScalingFacts& f) {
         return absl::StrCat("Not at all: ", f.ranks, " devices are slower than one ", Where(f.efficiency), ".");
       }},
      {"almost_ideal", [](const ScalingFacts& f) { return LeastLow(f.efficiency) >= kAlmostIdeal; }, proto::ANSWERED,
       [](const ScalingFacts& f) { return AtLeastIdeal("Almost ideally", f); }},
      {"well", [](const ScalingFacts& f) { return LeastLow(f.efficiency) >= kGoodScaling; }, proto::ANSWERED,
       [](const ScalingFacts& f) { return AtLeastIdeal("Well", f); }},
      {"depends", DependsOnBatch, proto::ANSWERED, DependsText},
      {"moderately", [](const ScalingFacts& f) { return LeastLow(f.efficiency) >= kPoorScaling; }, proto::ANSWERED,
       [](const ScalingFacts& f) { return AtLeastIdeal("Moderately", f); }},
      {"poorly", [](const ScalingFacts& f) { return MostHigh(f.efficiency) < kPoorScaling; }, proto::ANSWERED,
       [](const ScalingFacts& f) {
         return absl::StrCat("Poorly: at most ", PercentRoundedUp(MostHigh(f.efficiency)), " of ideal ",
                             Where(f.efficiency), ".");
       }},
      {"spread", [](const ScalingFacts&) { return true; }, proto::PARTLY,
       [](const ScalingFacts& f) {
         return absl::StrCat("Not decided: single epochs reach ", PercentRoundedDown(LeastLow(f.efficiency)), " to ",
                             PercentRoundedUp(MostHigh(f.efficiency)), " of ideal.");
       }},
  };
  return FirstVerdict(*rules, facts);
}

std::string NegativeBatchesText(const WaitingFacts& facts) {
  return absl::StrCat("a step on ", facts.ranks, " devices took less time than on one at ",
                      BatchesText(facts.negative_batches));
}

std::string WaitingShareText(const std::string& percent, TimedEpochs epochs) {
  return epochs == TimedEpochs::kOne ? absl::StrCat(percent, " of one timed epoch")
                                     : absl::StrCat("at most ", percent, " of an epoch");
}

WaitingVerdict JudgeWaiting(const WaitingFacts& facts) {
  using Rule = VerdictRule<WaitingFacts>;
  static const auto* const rules = new std::vector<Rule>{
      {"not_by_subtraction", [](const WaitingFacts& f) { return f.share.empty() && !f.negative_batches.empty(); },
       proto::PARTLY,
       [](const WaitingFacts& f) {
         return absl::StrCat("Not decided: not measurable by subtraction, because ", NegativeBatchesText(f),
                             ", and not measured by events.");
       }},
      {"not_measured", [](const WaitingFacts& f) { return f.share.empty(); }, proto::PARTLY,
       [](const WaitingFacts&) {
         return std::string("Not decided: the records lack the time in which computing waits.");
       }},
      {"impossible", IsImpossible, proto::PARTLY,
       [](const WaitingFacts&) { return std::string("Not decided: the measured waiting is longer than the epoch."); }},
      {"below_zero", IsBelowZero, proto::PARTLY, BelowZeroVerdict},
      {"little", [](const WaitingFacts& f) { return MostHigh(f.share) < kLittleWaiting; }, proto::ANSWERED, LittleText},
      {"some", [](const WaitingFacts& f) { return MostHigh(f.share) < kSomeWaiting; }, proto::ANSWERED,
       [](const WaitingFacts& f) { return absl::StrCat("Some: up to ", PercentRoundedUp(MostHigh(f.share)), kWaits); }},
      {"most", [](const WaitingFacts& f) { return LeastLow(f.share) >= 0.5; }, proto::ANSWERED,
       [](const WaitingFacts& f) {
         return absl::StrCat("Most of it: at least ", PercentRoundedDown(LeastLow(f.share)), kWaits);
       }},
      {"much", [](const WaitingFacts& f) { return Most(f.share).value.low >= kSomeWaiting; }, proto::ANSWERED,
       [](const WaitingFacts& f) {
         return absl::StrCat("Much: up to ", PercentRoundedUp(Most(f.share).value.mean), kWaits);
       }},
      {"spread", [](const WaitingFacts&) { return true; }, proto::PARTLY,
       [](const WaitingFacts& f) {
         return absl::StrCat("Not decided: ", PercentRoundedDown(Most(f.share).value.low), " to ",
                             PercentRoundedUp(MostHigh(f.share)), kWaits);
       }},
  };
  return {FirstVerdict(*rules, facts), EpochsOf(facts)};
}

}  // namespace lockstep
