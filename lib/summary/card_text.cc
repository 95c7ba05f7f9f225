#include "lib/summary/card_text.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/wording/cell.h"
#include "lib/wording/claim.h"

namespace lockstep {
namespace {

// Returns `value`, which must be below 999.5, with three significant digits and no exponent.
std::string Plain(double value) {
  const double size = std::abs(value);
  const int whole = size < 9.995 ? 1 : size < 99.95 ? 2 : 3;
  int decimals = 3 - whole;
  for (double limit = 0.9995; size > 0 && size < limit && decimals < 6; limit /= 10) {
    ++decimals;
  }
  return absl::StrFormat("%.*f", decimals, value);
}

}  // namespace

std::string ThreeDigits(double value) {
  if (!std::isfinite(value)) {
    return FormatNumber(value);
  }
  const double size = std::abs(value);
  return size < 999.5     ? Plain(value)
         : size < 999.5e3 ? absl::StrCat(Plain(value / 1e3), "k")
         : size < 999.5e6 ? absl::StrCat(Plain(value / 1e6), "M")
                          : FormatNumber(value, 3);
}

NumberAndUnit ShortSecondsParts(double seconds) {
  const Unit& unit = seconds >= 0.0995 ? kSeconds : seconds >= 0.9995e-3 ? kMilliseconds : kMicroseconds;
  return {ThreeDigits(seconds * unit.scale), unit.name};
}

std::string ShortSeconds(double seconds) {
  const NumberAndUnit parts = ShortSecondsParts(seconds);
  return absl::StrCat(parts.number, " ", parts.unit);
}

std::string ShortBytes(double bytes) {
  const Unit& unit = bytes >= 1e6 ? kMegabytes : bytes >= 1e3 ? kKilobytes : kNoUnit;
  return absl::StrCat(ThreeDigits(bytes * unit.scale), " ", *unit.name == '\0' ? "bytes" : unit.name);
}

std::string ShortPercent(double fraction) {
  const double percent = 100 * fraction;
  return std::abs(percent) < 9.95 ? absl::StrFormat("%.1f %%", percent) : absl::StrFormat("%.0f %%", percent);
}

// The small amount keeps 0.97 * 100, which is below 97, at 97.
std::string PercentRoundedDown(double fraction) {
  return absl::StrFormat("%.0f %%", std::floor(100 * fraction + 1e-9));
}

std::string PercentRoundedUp(double fraction) {
  return absl::StrFormat("%.0f %%", std::max(1.0, std::ceil(100 * fraction - 1e-9)));
}

std::string SignedPoints(double fraction) {
  const std::string size = absl::StrFormat("%.2f", std::abs(100 * fraction));
  return size == "0.00" ? size : absl::StrCat(fraction < 0 ? "\u2212" : "+", size);
}

std::string JoinOr(const std::vector<std::string>& parts) {
  return parts.size() < 2 ? absl::StrJoin(parts, "")
                          : absl::StrCat(absl::StrJoin(parts.begin(), parts.end() - 1, ", "), " or ", parts.back());
}

std::string BatchesText(const std::vector<uint32_t>& batches) {
  std::vector<std::string> names;
  for (const uint32_t batch : batches) {
    names.push_back(FormatCount(batch));
  }
  return absl::StrCat(names.size() == 1 ? "batch " : "batches ", JoinAnd(names));
}

std::string AnswersText(const std::vector<proto::QuestionChip>& chips) {
  const auto count = [&](proto::AnswerState state) {
    return std::count_if(chips.begin(), chips.end(),
                         [&](const proto::QuestionChip& chip) { return chip.state() == state; });
  };
  const auto partly = count(proto::PARTLY);
  return absl::StrCat(count(proto::ANSWERED), " of ", chips.size(), " questions answered",
                      partly > 0 ? absl::StrCat(", ", partly, " partly") : "");
}

std::string Capitalized(absl::string_view text) {
  std::string capitalized(text);
  if (!capitalized.empty()) {
    capitalized[0] = absl::ascii_toupper(static_cast<unsigned char>(capitalized[0]));
  }
  return capitalized;
}

std::string ShortDevice(const proto::Header& header) {
  const bool is_gpu = !header.device().empty() && !header.device(0).compute_capability().empty();
  if (!is_gpu) {
    return "CPU";
  }
  std::vector<std::string> kept;
  for (const absl::string_view word : absl::StrSplit(absl::StripPrefix(header.device(0).name(), "NVIDIA "), ' ')) {
    if (!absl::StrContains(word, "GB") && !absl::StartsWith(word, "HBM") && word != "PCIe") {
      kept.emplace_back(word.substr(0, word.find('-')));  // "A100-SXM4-80GB" is dropped below if nothing else is left
    }
  }
  if (kept.empty()) {
    kept.push_back(std::string(absl::StripPrefix(header.device(0).name(), "NVIDIA ")));
    kept.back() = kept.back().substr(0, kept.back().find('-'));
  }
  return absl::StrJoin(kept, " ");
}

std::string DevicesText(uint32_t count, const proto::Header& header) {
  const std::string device = ShortDevice(header);
  return count == 1        ? absl::StrCat("one ", device)
         : device == "CPU" ? absl::StrCat(count, " ranks of one CPU")
                           : absl::StrCat(count, " ", device);
}

}  // namespace lockstep
