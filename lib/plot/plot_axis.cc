#include "lib/plot/plot_axis.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/plot/text_extent.h"

namespace lockstep {
namespace {

constexpr size_t kMinTicks = 3;
constexpr int kMaxSteps = 6;               // maximum number of steps between labels on a linear axis
constexpr double kLogMargin = 1.3;         // factor by which the range exceeds the extreme numbers
constexpr double kLinearMargin = 0.04;     // share of the range
constexpr double kOccurringMargin = 0.08;  // share of the range, if the ticks are the values that occur
constexpr double kLineHeight = 1.5;        // distance between labels above each other, in font sizes
constexpr double kGap = 0.7;               // space between labels next to each other, in font sizes
constexpr double kGroupedFrom = 1000;      // numbers have commas from here
constexpr double kGroupedTo = 1e7;
constexpr double kMinDrawn = 1e-30, kMaxDrawn = 1e30;  // limits that no plot exceeds
constexpr double kFlat = 1e-9;                         // a range below this share of its numbers is drawn as one number

// Returns true if the labels do not touch.
bool Fit(const AxisRequest& request, const Axis& axis) {
  for (size_t i = 1; i < axis.ticks.size(); ++i) {
    const Tick& before = axis.ticks[i - 1];
    const Tick& tick = axis.ticks[i];
    const double distance = (PlaceOnAxis(axis, tick.at) - PlaceOnAxis(axis, before.at)) * request.length;
    const double min_distance =
        request.horizontal
            ? (TextWidth(before.label, request.font_size) + TextWidth(tick.label, request.font_size)) / 2 +
                  kGap * request.font_size
            : kLineHeight * request.font_size;
    if (distance < min_distance) {
      return false;
    }
  }
  return true;
}

void SetTicks(const std::vector<double>& places, Axis& axis) {
  axis.ticks.clear();
  for (const double place : places) {
    axis.ticks.push_back({place, TickLabel(place)});
  }
}

// --- Linear ---

// Returns 1, 2 or 5 times a power of ten, and at least `min_step`.
double RoundStep(double min_step) {
  const double power = std::pow(10, std::floor(std::log10(min_step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= min_step * (1 - 1e-9)) {
      return factor * power;
    }
  }
  return 10 * power;
}

// Returns an axis with ticks at all multiples of `step`, from the last one at or below the range to the first one at or
// above it.
Axis LinearAxis(const AxisRequest& request, double low, double high, double step) {
  constexpr double kSlack = 1e-9;  // tolerance for rounding if the range ends at a tick
  double first = std::floor(low / step + kSlack), last = std::ceil(high / step - kSlack);
  while (last - first + 1 < kMinTicks) {
    (first > 0 ? first : last) += first > 0 ? -1 : 1;
  }
  Axis axis;
  const double margin = request.margin ? (last - first) * step * kLinearMargin : 0;
  axis.low = first * step - margin;
  axis.high = last * step + margin;
  std::vector<double> places;
  for (double i = first; i <= last; ++i) {
    places.push_back(i * step);
  }
  SetTicks(places, axis);
  return axis;
}

Axis MakeLinearAxis(const AxisRequest& request) {
  double low = request.from_zero ? std::min(0.0, request.low) : request.low;
  double high = request.from_zero ? std::max(0.0, request.high) : request.high;
  if (high - low <= std::max(kFlat * std::max(std::abs(low), std::abs(high)), kMinDrawn)) {
    const double half = low == 0 ? 1 : std::abs(low) / 10;
    low -= request.from_zero ? 0 : half;
    high += half;
  }
  double step = RoundStep((high - low) / kMaxSteps);
  step = request.whole ? std::max(1.0, step) : step;
  Axis axis = LinearAxis(request, low, high, step);
  while (!Fit(request, axis) && axis.ticks.size() > kMinTicks) {
    step = RoundStep(step * 1.01);
    axis = LinearAxis(request, low, high, step);
  }
  return axis;
}

// --- Logarithmic ---

// Returns factor times power of ten for each factor and each `stride`-th power, inside the range of the axis.
std::vector<double> LogPlaces(const Axis& axis, const std::vector<double>& factors, int stride) {
  std::vector<double> places;
  const int last = static_cast<int>(std::floor(std::log10(axis.high)));
  for (int power = static_cast<int>(std::floor(std::log10(axis.low))); power <= last; ++power) {
    for (const double factor : factors) {
      const double place = factor * std::pow(10, power);
      if (power % stride == 0 && place >= axis.low && place <= axis.high) {
        places.push_back(place);
      }
    }
  }
  return places;
}

// Makes as many ticks as fit: 1-2-5, then 1, then fewer powers of ten. The range is extended until it has at least
// three places of 1-2-5.
Axis MakeLogAxis(const AxisRequest& request) {
  Axis axis;
  axis.log = true;
  axis.low = request.low / kLogMargin;
  axis.high = request.high * kLogMargin;
  static const auto* const kOneTwoFive = new std::vector<double>{1, 2, 5};
  static const auto* const kOne = new std::vector<double>{1};
  for (bool upwards = true; LogPlaces(axis, *kOneTwoFive, 1).size() < kMinTicks; upwards = !upwards) {
    axis.low /= upwards ? 1 : 2;
    axis.high *= upwards ? 2 : 1;
  }
  SetTicks(LogPlaces(axis, *kOneTwoFive, 1), axis);
  for (int stride = 1; !Fit(request, axis); ++stride) {
    const std::vector<double> places = LogPlaces(axis, *kOne, stride);
    if (places.size() < kMinTicks) {
      break;
    }
    SetTicks(places, axis);
  }
  if (!Fit(request, axis)) {  // a short range with long labels: first, middle and last
    const std::vector<Tick> all = axis.ticks;
    axis.ticks = {all.front(), all[all.size() / 2], all.back()};
  }
  return axis;
}

// --- Ticks at values that occur ---

// Moves the ticks to the values that occur; on a logarithmic axis to every second, third, ... of them if not all fit.
// Returns false if no three ticks (or all of two) fit. The range of the axis becomes that of the values.
bool TakeOccurring(const AxisRequest& request, Axis& axis) {
  if (request.occurring.empty()) {
    return false;
  }
  Axis taken = axis;
  const double range = request.high - request.low;
  const double margin = range > 0 ? kOccurringMargin * range : 1;
  taken.low = axis.log ? request.low / kLogMargin : request.low - margin;
  taken.high = axis.log ? request.high * kLogMargin : request.high + margin;
  const size_t min_ticks = std::min(kMinTicks, request.occurring.size());
  for (size_t stride = 1; request.occurring.size() > (min_ticks - 1) * stride; ++stride) {
    std::vector<double> places;
    for (size_t i = 0; i < request.occurring.size(); i += stride) {
      places.push_back(request.occurring[i]);
    }
    SetTicks(places, taken);
    if (Fit(request, taken)) {
      axis = std::move(taken);
      return true;
    }
    if (!axis.log || min_ticks == 1) {
      break;
    }
  }
  return false;
}

}  // namespace

std::string TickLabel(double value) {
  if (std::abs(value) < kGroupedFrom || std::abs(value) >= kGroupedTo) {
    return absl::StrFormat("%.6g", value == 0 ? 0.0 : value);  // prevents "-0"
  }
  std::string digits = absl::StrFormat("%.0f", value);
  for (size_t at = digits.size() - 3; at > (value < 0 ? 1u : 0u) && at < digits.size(); at -= 3) {
    digits.insert(at, 1, ',');
  }
  return digits;
}

double PlaceOnAxis(const Axis& axis, double value) {
  return axis.log ? std::log(std::max(value, axis.low) / axis.low) / std::log(axis.high / axis.low)
                  : (value - axis.low) / (axis.high - axis.low);
}

Axis MakeAxis(const AxisRequest& request) {
  AxisRequest sane = request;
  if (!(request.high >= request.low) || std::abs(request.low) > kMaxDrawn || std::abs(request.high) > kMaxDrawn ||
      (request.log && request.low < kMinDrawn)) {
    sane.low = 1;
    sane.high = 10;
  }
  Axis axis = sane.log ? MakeLogAxis(sane) : MakeLinearAxis(sane);
  if (sane.low == request.low && sane.high == request.high) {
    TakeOccurring(sane, axis);
  }
  return axis;
}

}  // namespace lockstep
