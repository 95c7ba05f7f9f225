#include "lib/scaling/speedup_doubts.h"

#include "absl/strings/str_format.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {
namespace {

struct NamedSpeedup {
  const char* name;
  const proto::Quantity& (proto::ScalingRow::*field)() const;
};

constexpr NamedSpeedup kSpeedups[] = {{"epoch speed-up", &proto::ScalingRow::epoch_speedup},
                                      {"weak speed-up", &proto::ScalingRow::weak_speedup},
                                      {"strong speed-up", &proto::ScalingRow::strong_speedup}};

bool IsAbove(const proto::Quantity& speedup, double ranks) {
  return speedup.has_value() && speedup.has_low() && speedup.low() > ranks &&
         speedup.value() > (1 + kSpeedupSlack) * ranks;
}

// Returns the first speed-up above the number of ranks; null if there is none.
const NamedSpeedup* FindAbove(const proto::ScalingRow& row) {
  for (const NamedSpeedup& speedup : kSpeedups) {
    if (row.ranks() > 1 && IsAbove((row.*speedup.field)(), row.ranks())) {
      return &speedup;
    }
  }
  return nullptr;
}

}  // namespace

std::string SpeedupAboveRanks(const proto::ScalingRow& row) {
  const NamedSpeedup* const above = FindAbove(row);
  if (above == nullptr) {
    return "";
  }
  const proto::Quantity& speedup = (row.*above->field)();
  return absl::StrFormat("%s %.3g (%.3g to %.3g)", above->name, speedup.value(), speedup.low(), speedup.high());
}

std::string CauseOfSpeedupAboveRanks(const proto::ScalingRow& row) {
  const NamedSpeedup* const above = FindAbove(row);
  if (!row.run_start().empty()) {
    return "the machine or the program changed between the two runs; measure 1 rank and N ranks in one run";
  }
  if (above != nullptr && IsOfSweep((row.*above->field)())) {
    return "the base case is of a sweep, made under other conditions; measure 1 rank by scale_run, too";
  }
  return "1 rank was slower than usual (other work, heat, or data that only a rank's share of fits into a cache); "
         "measure all ranks again";
}

}  // namespace lockstep
