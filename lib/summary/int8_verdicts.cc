#include "lib/summary/int8_verdicts.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/networks/int8_shape.h"
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

CardVerdict JudgeInt8(const Int8Facts& facts) {
  using Facts = Int8Facts;
  static const auto* const rules = new std::vector<VerdictRule<Facts>>{
      {"no_images", [](const Facts& f) { return f.changes.items == 0; }, proto::PARTLY,
       [](const Facts&) { return std::string("Not decided: no test images were classified."); }},
      {"near_chance", [](const Facts& f) { return IsNearChance(f.fp32_accuracy); }, proto::PARTLY,
       [](const Facts& f) {
         return absl::StrFormat(
             "Not decided: in fp32 %.1f %% are right, and by chance %.0f %%, so there is little to lose.",
             100 * f.fp32_accuracy, 100.0 / kInt8Classes);
       }},
      {"costs", [](const Facts& f) { return IsSignificant(f.changes) && f.changes.lost > f.changes.gained; },
       proto::ANSWERED,
       [](const Facts& f) {
         return absl::StrCat(PointsText(f.changes), " points of accuracy, more than chance explains.");
       }},
      {"gains", [](const Facts& f) { return IsSignificant(f.changes); }, proto::ANSWERED,
       [](const Facts& f) { return absl::StrCat("Nothing: accuracy rises by ", PointsText(f.changes), " points."); }},
      {"too_few_images", [](const Facts& f) { return PairedDifferenceInterval(f.changes).low < -kShownLoss; },
       proto::PARTLY,
       [](const Facts& f) {
         return absl::StrFormat("Not decided: %s images cannot exclude a loss of %.1f points.",
                                FormatCount(f.changes.items), 100 * -PairedDifferenceInterval(f.changes).low);
       }},
      {"nothing", [](const Facts&) { return true; }, proto::ANSWERED,
       [](const Facts&) { return std::string("Nothing that can be measured."); }},
  };
  return FirstVerdict(*rules, facts);
}

}  // namespace lockstep
