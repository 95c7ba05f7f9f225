// Speed-ups computed from a time of which one digit was lost when it was typed: 4.946042 / 4.17061 next to 4.017061.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/audit/conventions.h"
#include "lib/audit/flags.h"

namespace lockstep {
namespace {

// A lost digit is further from every plain reading than any slip of a formula.
constexpr int kLostDigitDepartures = kLateDepartures;

// Largest number of digits of a time that are tried.
constexpr int kMaxDigits = 10;

// The time that lost a digit.
enum class Loser { kBase, kN };

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// Returns the number of seconds of `cell` without its digit `digit`, which counts from 1. Returns nothing if:
//   - the time has no such digit,
//   - no value above 0 is left, or
//   - the digit is the last decimal, because a time with fewer decimals was rounded or cut off on purpose.
std::optional<double> WithoutDigit(const Cell& cell, int digit) {
  std::string digits = cell.value->as_printed();
  if (digits.find('.') != std::string::npos && std::count_if(digits.begin(), digits.end(), IsDigit) == digit) {
    return std::nullopt;
  }
  int seen = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    seen += IsDigit(digits[i]) ? 1 : 0;
    if (seen == digit) {
      digits.erase(i, 1);
      break;
    }
  }
  const auto left = ParsePrintedNumber(digits);
  if (seen < digit || !left.ok() || left->value <= 0) {
    return std::nullopt;
  }
  const double unit_seconds = cell.value->unit_seconds();
  return left->value * (unit_seconds > 0 ? unit_seconds : 1);
}

Convention MakeLostDigit(const Source& times, const DeclaredBase& base, Loser loser, int digit) {
  Convention convention;
  const std::string quotient = absl::StrCat("T_", base.devices, "/T_N");
  const std::string time = loser == Loser::kBase ? absl::StrCat("T_", base.devices) : "T_N";
  convention.text = absl::StrCat(quotient, ", digit ", digit, " of ", time, " lost, times of ", times.name);
  convention.meaning = absl::StrCat(quotient, ", a digit of ", time, " lost");
  convention.departures = kLostDigitDepartures;
  if (base.devices > 1) {
    convention.flags.push_back(kBaseIsNotOneDevice);  // like the quotient without a loss
  }
  convention.flags.push_back(kLostDigit);
  convention.evaluate = [&times, base, loser, digit](const TablePlace& place) -> std::optional<Recomputed> {
    const Cell* t_base = times.At(base.devices, base.batch > 0 ? base.batch : place.batch);
    const Cell* t_n = times.At(place.devices, place.batch);
    if (t_base == nullptr || t_n == nullptr || t_base->IsSameAs(*t_n) || t_base->Exact() <= 0 || t_n->Exact() <= 0) {
      return std::nullopt;
    }
    const std::optional<double> left = WithoutDigit(loser == Loser::kBase ? *t_base : *t_n, digit);
    if (!left.has_value()) {
      return std::nullopt;
    }
    // No slack: the digits that were typed are known, so only an exact quotient is an explanation.
    const double value = loser == Loser::kBase ? *left / t_n->Exact() : t_base->Exact() / *left;
    return Recomputed{value, value, {t_base, t_n}};
  };
  return convention;
}

}  // namespace

std::vector<Convention> LostDigitSpeedups(const Document& document, int table, const DeclaredBase& base,
                                          absl::string_view context) {
  std::vector<Convention> conventions;
  for (const Source& times : document.Times(table, context)) {
    if (times.table != table || times.is_converted) {
      continue;
    }
    for (const Loser loser : {Loser::kBase, Loser::kN}) {
      for (int digit = 1; digit <= kMaxDigits; ++digit) {
        conventions.push_back(MakeLostDigit(times, base, loser, digit));
      }
    }
  }
  return conventions;
}

}  // namespace lockstep
