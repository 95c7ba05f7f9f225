#include "lib/checks/number_agreement.h"

#include <algorithm>
#include <cmath>

#include "lib/checks/repeat_chance.h"

namespace lockstep {
namespace {

using Iterator = std::vector<SetNumber>::const_iterator;

// Numbers of one set at one place.
struct AtPlace {
  Iterator begin;
  Iterator end;

  size_t size() const { return static_cast<size_t>(end - begin); }
};

AtPlace FirstPlace(Iterator begin, Iterator end) {
  return {begin, std::find_if(begin, end, [&](const SetNumber& number) { return number.place != begin->place; })};
}

void ComparePlace(const AtPlace& first, const AtPlace& second, NumberAgreement& agreement) {
  const double tries = static_cast<double>(std::max(first.size(), second.size()));
  std::vector<const MeasuredNumber*> here, there;  // numbers without an equal one
  Iterator a = first.begin, b = second.begin;
  while (a != first.end || b != second.end) {
    if (b == second.end || (a != first.end && a->measured->value < b->measured->value)) {
      here.push_back((a++)->measured);
    } else if (a == first.end || b->measured->value < a->measured->value) {
      there.push_back((b++)->measured);
    } else {
      ++agreement.equal;
      agreement.log_chance += std::log(std::min(1.0, tries * RepeatChance(*a++, *b++)));
    }
  }
  agreement.common += std::min(first.size(), second.size());
  for (size_t i = 0; i < std::min(here.size(), there.size()); ++i) {
    agreement.different.emplace_back(here[i], there[i]);
  }
}

// Returns the logarithm of the number of ways to choose k of n.
double LogWays(size_t n, size_t k) {
  const auto log_factorial = [](size_t i) { return std::lgamma(static_cast<double>(i) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

NumberAgreement CompareNumbers(const NumberSet& first, const NumberSet& second) {
  NumberAgreement agreement;
  Iterator a = first.numbers.begin(), b = second.numbers.begin();
  while (a != first.numbers.end() && b != second.numbers.end()) {
    const AtPlace of_first = FirstPlace(a, first.numbers.end()), of_second = FirstPlace(b, second.numbers.end());
    if (a->place == b->place) {
      ComparePlace(of_first, of_second, agreement);
    }
    const size_t place = std::min(a->place, b->place);
    a = a->place == place ? of_first.end : a;
    b = b->place == place ? of_second.end : b;
  }
  return agreement;
}

bool IsMostlyEqual(const NumberAgreement& agreement, double pairs) {
  const size_t n = agreement.common, k = agreement.equal;
  if (k < kMinEqualNumbers || 3 * (n - k) > n) {
    return false;
  }
  const double log_bound = LogWays(n, k) + std::log(static_cast<double>(n / 3 + 1)) + agreement.log_chance;
  return log_bound <= std::log(kFalseAlarm / pairs);
}

}  // namespace lockstep
