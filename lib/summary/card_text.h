// Numbers and names in the short form of the summary: at most three significant digits, no interval.
#ifndef LOCKSTEP_LIB_SUMMARY_CARD_TEXT_H_
#define LOCKSTEP_LIB_SUMMARY_CARD_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/report.pb.h"
#include "lib/statistics/unit.h"

namespace lockstep {

// Returns "0.101", "3.96", "134", "1.34k", "134k", "2.50M": three significant digits.
std::string ThreeDigits(double value);

// Returns "4.00 s", "101 ms", "52.0 us".
std::string ShortSeconds(double seconds);

// Returns the number and the unit of a time, for a headline: {"101", "ms"}.
struct NumberAndUnit {
  std::string number;
  std::string unit;
};
NumberAndUnit ShortSecondsParts(double seconds);

// Returns "115 kB", "44.7 MB", "612 bytes".
std::string ShortBytes(double bytes);

// Returns "97 %"; below 10 % with one decimal: "3.9 %".
std::string ShortPercent(double fraction);

// Return whole per cent that are at most, or at least, the fraction: "97 %" for 0.979, "4 %" for 0.031. The second
// returns "1 %" for all fractions up to 0.01.
std::string PercentRoundedDown(double fraction);
std::string PercentRoundedUp(double fraction);

// Returns a change of accuracy in percentage points with its sign: "+0.01", "−0.05" (U+2212); "0.00".
std::string SignedPoints(double fraction);

// Returns "a", "a or b", "a, b or c".
std::string JoinOr(const std::vector<std::string>& parts);

// Returns "batch 512", "batches 128 and 512", with commas between thousands.
std::string BatchesText(const std::vector<uint32_t>& batches);

// Returns "8 of 12 questions answered, 3 partly"; without partly answered ones "8 of 12 questions answered".
std::string AnswersText(const std::vector<proto::QuestionChip>& chips);

// Returns "Clipping" for "clipping".
std::string Capitalized(absl::string_view text);

// Returns the name of the device without maker and memory: "H100" for "NVIDIA H100 80GB HBM3"; "CPU" without a GPU.
std::string ShortDevice(const proto::Header& header);

// Returns "one H100", "4 H100"; for a CPU "one CPU", "4 ranks of one CPU".
std::string DevicesText(uint32_t count, const proto::Header& header);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_CARD_TEXT_H_
