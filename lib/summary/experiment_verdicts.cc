#include "lib/summary/experiment_verdicts.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/summary/card_text.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"

namespace lockstep {
namespace {

// --- Q4 ---

std::string BatchName(const LargeBatchFacts& facts) { return absl::StrCat("batch ", FormatCount(facts.batch)); }

std::string HelpsMost(const LargeBatchFacts& facts) {
  return facts.tried == 1
             ? absl::StrCat(Capitalized(facts.remedy), " helps; no other remedy was tried.")
             : absl::StrCat(Capitalized(facts.remedy), " helps most of the ", facts.tried, " single remedies.");
}

std::string HelpLikeOthers(const LargeBatchFacts& facts) {
  return absl::StrCat(Capitalized(facts.remedy), " helps; ",
                      facts.equal_ones.size() > 2
                          ? absl::StrCat(facts.equal_ones.size(), " other remedies are")
                          : absl::StrCat(JoinAnd(facts.equal_ones), facts.equal_ones.size() == 1 ? " is" : " are"),
                      " not clearly worse.");
}

// --- Q5 ---

// Returns "half of the images"; "31 % of the images" if it is not half.
std::string SharesSeen(const SamplerFacts& facts) {
  const double share = static_cast<double>(facts.seen_without) / static_cast<double>(facts.images);
  return std::abs(share - 0.5) < 0.005 ? "half of the images" : absl::StrCat(ShortPercent(share), " of the images");
}

// --- Q6 ---

double OtherShare(const SentFacts& facts) { return facts.other_bytes / (facts.gradient_bytes + facts.other_bytes); }

// --- Q7 ---

size_t LeastSeeds(const GradientsOnlyFacts& facts) {
  size_t seeds = facts.ways.empty() ? 0 : facts.ways.front().difference.seeds;
  for (const OtherWay& way : facts.ways) {
    seeds = std::min(seeds, way.difference.seeds);
  }
  return seeds;
}

std::vector<std::string> NamesOf(const GradientsOnlyFacts& facts, bool (SeedDifference::*chosen)() const) {
  std::vector<std::string> names;
  for (const OtherWay& way : facts.ways) {
    if ((way.difference.*chosen)()) {
      names.push_back(way.name);
    }
  }
  return names;
}

std::string LessAccurateThan(const GradientsOnlyFacts& facts) {
  return absl::StrCat("No: they are less accurate than ", JoinAnd(NamesOf(facts, &SeedDifference::above)), ".");
}

}  // namespace

CardVerdict JudgeLargeBatch(const LargeBatchFacts& facts) {
  using Facts = LargeBatchFacts;
  static const auto* const rules = new std::vector<VerdictRule<Facts>>{
      {"no_base", [](const Facts& f) { return !f.loss.has_value() || f.loss->seeds == 0; }, proto::PARTLY,
       [](const Facts& f) {
         return absl::StrCat("Not decided: ", BatchName(f), " has no small batch to be compared with.");
       }},
      {"one_seed", [](const Facts& f) { return f.loss->seeds < kMinRepeats; }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: one seed per row shows no spread."); }},
      {"not_learned",
       [](const Facts& f) { return f.base_has_not_learned && !f.loss->above() && !f.longer_loss.has_value(); },
       proto::PARTLY,
       [](const Facts& f) {
         return absl::StrCat("Not decided: batch ", FormatCount(f.base_batch), " itself has not learned after ",
                             CountOf(f.epochs, "epoch"), "; train for more epochs (--epochs=", 8 * f.epochs, ").");
       }},
      {"loss_of_longer", [](const Facts& f) { return f.base_has_not_learned && f.longer_loss.has_value(); },
       proto::PARTLY,
       [](const Facts& f) {
         return absl::StrCat("Not decided: ", BatchName(f), " loses ", ThreeDigits(100 * f.longer_loss->mean),
                             " points after ", f.longer_epochs, " epochs; after ", f.epochs, " batch ",
                             FormatCount(f.base_batch), " has not learned.");
       }},
      {"no_loss", [](const Facts& f) { return f.loss->below(); }, proto::ANSWERED,
       [](const Facts& f) {
         return absl::StrCat("Nothing to repair: ", BatchName(f), " is more accurate than batch ",
                             FormatCount(f.base_batch), ".");
       }},
      {"loss_not_shown", [](const Facts& f) { return !f.loss->above(); }, proto::PARTLY,
       [](const Facts& f) {
         return absl::StrCat("Not decided: ", f.loss->seeds, " seeds show no clear loss at ", BatchName(f), ".");
       }},
      {"no_remedy", [](const Facts& f) { return f.remedy.empty(); }, proto::PARTLY,
       [](const Facts& f) {
         return std::string(f.no_remedy.empty() ? "Not decided: no single remedy was trained."
                            : f.held_out        ? "Not decided: no single remedy is shown to help."
                                                : "Not decided: the remedies were not compared on held-out images.");
       }},
      {"no_gain", [](const Facts& f) { return !f.gain.has_value(); }, proto::PARTLY,
       [](const Facts& f) {
         return absl::StrCat("Not decided: ", f.remedy, ", first of ", f.tried,
                             " remedies on held-out images, shows no clear gain.");
       }},
      {"harm", [](const Facts& f) { return *f.gain <= 0; }, proto::ANSWERED,
       [](const Facts& f) {
         return absl::StrCat("No single remedy: even ", f.remedy, " is less accurate than none.");
       }},
      {"several_help", [](const Facts& f) { return !f.equal_ones.empty(); }, proto::ANSWERED, HelpLikeOthers},
      {"one_helps", [](const Facts&) { return true; }, proto::ANSWERED, HelpsMost},
  };
  return FirstVerdict(*rules, facts);
}

CardVerdict JudgeSampler(const SamplerFacts& facts) {
  using Facts = SamplerFacts;
  static const auto* const rules = new std::vector<VerdictRule<Facts>>{
      {"one_epoch", [](const Facts& f) { return f.epochs < kMinRepeats; }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: one epoch cannot repeat an order."); }},
      {"sees_less",
       [](const Facts& f) {
         return f.orders_without == 1 && f.orders_with > 1 && f.images > 0 && f.seen_without < f.seen_with;
       },
       proto::ANSWERED,
       [](const Facts& f) {
         return absl::StrCat("Yes: without it, each rank sees the same ", SharesSeen(f), " in every epoch.");
       }},
      {"same_order", [](const Facts& f) { return f.orders_without == 1 && f.orders_with > 1; }, proto::ANSWERED,
       [](const Facts&) { return std::string("Yes: without it, every epoch has the same order."); }},
      {"no_difference", [](const Facts&) { return true; }, proto::PARTLY,
       [](const Facts& f) {
         return absl::StrCat("Not decided: ", f.epochs, " epochs have ", f.orders_without,
                             f.orders_without == 1 ? " order" : " orders", " without it and ", f.orders_with,
                             " with it.");
       }},
  };
  return FirstVerdict(*rules, facts);
}

CardVerdict JudgeSent(const SentFacts& facts) {
  using Facts = SentFacts;
  static const auto* const rules = new std::vector<VerdictRule<Facts>>{
      {"no_gradients", [](const Facts& f) { return !(f.gradient_bytes > 0); }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: no gradients were counted."); }},
      {"statistics_not_counted", [](const Facts& f) { return !f.statistics_counted; }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: the bytes of batch norm's statistics were not counted."); }},
      {"nothing", [](const Facts& f) { return f.other_bytes == 0; }, proto::ANSWERED,
       [](const Facts&) { return std::string("Nothing: a step sends gradients only."); }},
      {"almost_nothing", [](const Facts& f) { return OtherShare(f) < kNegligibleBytes; }, proto::ANSWERED,
       [](const Facts& f) {
         return absl::StrFormat("Almost nothing: at least %.1f %% of a step's bytes are gradients.",
                                std::floor(1000 * (1 - OtherShare(f))) / 10);
       }},
      {"something", [](const Facts&) { return true; }, proto::ANSWERED,
       [](const Facts& f) {
         return absl::StrCat("Statistics of batch norm: up to ", ShortPercent(OtherShare(f)), " of a step's bytes.");
       }},
  };
  return FirstVerdict(*rules, facts);
}

CardVerdict JudgeGradientsOnly(const GradientsOnlyFacts& facts) {
  using Facts = GradientsOnlyFacts;
  static const auto* const rules = new std::vector<VerdictRule<Facts>>{
      {"no_other_way", [](const Facts& f) { return f.ways.empty(); }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: only one way was trained."); }},
      {"one_seed", [](const Facts& f) { return LeastSeeds(f) < kMinRepeats; }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: one seed per way shows no spread."); }},
      {"not_enough", [](const Facts& f) { return !NamesOf(f, &SeedDifference::above).empty(); }, proto::ANSWERED,
       LessAccurateThan},
      {"enough", [](const Facts& f) { return NamesOf(f, &SeedDifference::below).size() == f.ways.size(); },
       proto::ANSWERED, [](const Facts&) { return std::string("Yes: every other way is less accurate."); }},
      {"no_difference", [](const Facts&) { return true; }, proto::PARTLY,
       [](const Facts& f) { return absl::StrCat("Not decided: ", LeastSeeds(f), " seeds show no clear difference."); }},
  };
  return FirstVerdict(*rules, facts);
}

}  // namespace lockstep
