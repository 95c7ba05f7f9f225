#include "lib/summary/int8_verdicts.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/summary/card_text.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

double Change(const PairedChanges& changes) {
  return (static_cast<double>(changes.gained) - static_cast<double>(changes.lost)) / static_cast<double>(changes.items);
}

bool IsSignificant(const PairedChanges& changes) { return McNemarExactP(changes) < kSignificance; }

std::string PointsText(const PairedChanges& changes) {
  return absl::StrFormat("%.2f", 100 * std::abs(Change(changes)));
}

}  // namespace

CardVerdict JudgeRange(const RangeFacts& facts) {
  using Facts = RangeFacts;
  static const auto* const rules = new std::vector<VerdictRule<Facts>>{
      {"one_layer", [](const Facts& f) { return f.layers == 1; }, proto::ANSWERED,
       [](const Facts& f) { return absl::StrCat("\u00b1", ThreeDigits(f.largest), "."); }},
      {"by_layer", [](const Facts& f) { return f.layers > 1; }, proto::ANSWERED,
       [](const Facts& f) {
         return absl::StrCat("From \u00b1", ThreeDigits(f.smallest), " to \u00b1", ThreeDigits(f.largest),
                             ", depending on the layer.");
       }},
      {"no_layer", [](const Facts&) { return true; }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: the record has no layers."); }},
  };
  return FirstVerdict(*rules, facts);
}

CardVerdict JudgeInt8(const PairedChanges& changes) {
  using Facts = PairedChanges;
  static const auto* const rules = new std::vector<VerdictRule<Facts>>{
      {"no_images", [](const Facts& f) { return f.items == 0; }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: no test images were classified."); }},
      {"costs", [](const Facts& f) { return IsSignificant(f) && f.lost > f.gained; }, proto::ANSWERED,
       [](const Facts& f) { return absl::StrCat(PointsText(f), " points of accuracy, more than chance explains."); }},
      {"gains", [](const Facts& f) { return IsSignificant(f); }, proto::ANSWERED,
       [](const Facts& f) { return absl::StrCat("Nothing: accuracy rises by ", PointsText(f), " points."); }},
      {"too_few_images", [](const Facts& f) { return PairedDifferenceInterval(f).low < -kShownLoss; }, proto::PARTLY,
       [](const Facts& f) {
         return absl::StrFormat("Not decided: %s images cannot exclude a loss of %.1f points.", FormatCount(f.items),
                                100 * -PairedDifferenceInterval(f).low);
       }},
      {"nothing", [](const Facts&) { return true; }, proto::ANSWERED,
       [](const Facts&) { return std::string("Nothing that can be measured."); }},
  };
  return FirstVerdict(*rules, changes);
}

}  // namespace lockstep
