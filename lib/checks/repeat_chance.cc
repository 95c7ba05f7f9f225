#include "lib/checks/repeat_chance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lib/statistics/statistics.h"

namespace lockstep {
namespace {

// Returns the unit of the last digit, relative to the value.
double RelativeUnit(const SetNumber& number) { return number.measured->unit / number.measured->value; }

bool IsWithin(double residual, double center, double distance) {
  return residual >= center - distance && residual <= center + distance;
}

// Returns the number of elements of `sorted` for which IsWithin is true.
size_t CountWithin(const std::vector<double>& sorted, double center, double distance) {
  const auto begin = std::lower_bound(sorted.begin(), sorted.end(), center - distance);
  return static_cast<size_t>(std::upper_bound(begin, sorted.end(), center + distance) - begin);
}

// Returns `count` without the two numbers of a pair: the first, which is always counted, and the second if it is.
double CountOfOthers(size_t count, bool has_second) { return static_cast<double>(count - 1 - (has_second ? 1 : 0)); }

}  // namespace

void FillResiduals(std::vector<NumberSet>& files) {
  std::vector<std::vector<double>> at_place;
  for (const NumberSet& file : files) {
    for (const SetNumber& number : file.numbers) {
      at_place.resize(std::max(at_place.size(), number.place + 1));
      at_place[number.place].push_back(std::log(number.measured->value));
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& logs : at_place) {
    medians.push_back(Median(logs));
    logs.clear();
  }
  for (NumberSet& file : files) {
    std::vector<double> distances;
    for (SetNumber& number : file.numbers) {
      number.residual = std::log(number.measured->value) - medians[number.place];
      distances.push_back(number.residual);
    }
    const double factor = distances.empty() ? 0 : Median(distances);
    for (SetNumber& number : file.numbers) {
      number.residual -= factor;
      at_place[number.place].push_back(number.residual);
    }
  }
  for (std::vector<double>& residuals : at_place) {
    std::sort(residuals.begin(), residuals.end());
  }
  for (NumberSet& file : files) {
    for (SetNumber& number : file.numbers) {
      const std::vector<double>& residuals = at_place[number.place];
      number.near = CountWithin(residuals, number.residual, kNearResidual);
      number.same = CountWithin(residuals, number.residual, RelativeUnit(number) / 2);
    }
  }
}

double RepeatChance(const SetNumber& a, const SetNumber& b) {
  const SetNumber& coarse = RelativeUnit(a) < RelativeUnit(b) ? b : a;
  const SetNumber& fine = &coarse == &a ? b : a;
  const double unit = RelativeUnit(coarse);
  double chance = std::max(kMinRepeatChance, unit / kRepeatWidth);
  const double near = CountOfOthers(coarse.near, IsWithin(fine.residual, coarse.residual, kNearResidual));
  if (near > 0) {
    const double same = CountOfOthers(coarse.same, IsWithin(fine.residual, coarse.residual, unit / 2));
    chance = std::max(chance, same / near);
  }
  return std::min(chance, 1.0);
}

}  // namespace lockstep
