#include "lib/train/step_parts.h"

#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/statistics/unit.h"
#include "lib/train/step_phases.h"
#include "lib/train/step_times.h"

namespace lockstep {
namespace {

// Between steps, the position in the epoch is advanced, and the next replay begins.
constexpr struct {
  const char* name;
  uint64_t StepPhases::*length;
} kParts[] = {{"batch", &StepPhases::batch},       {"forward and loss", &StepPhases::forward},
              {"backward", &StepPhases::backward}, {"rest of the second stream", &StepPhases::join},
              {"optimizer", &StepPhases::update},  {"between steps", &StepPhases::between}};

// Returns the clock's resolution: the greatest common divisor of the differences between timestamps; 0 if they are all
// equal.
double Resolution(const std::vector<uint64_t>& timestamps) {
  uint64_t divisor = 0;
  for (size_t i = 1; i < timestamps.size(); ++i) {
    divisor = std::gcd(divisor, timestamps[i] - timestamps[0]);
  }
  return static_cast<double>(divisor) * kNanoseconds.size;
}

// Returns one part over all steps. Nothing follows the last step, so it has no time between steps.
proto::StepPart ToPart(const std::vector<StepPhases>& steps, uint32_t full_steps, size_t index) {
  proto::StepPart part;
  part.set_name(kParts[index].name);
  std::vector<double> full_seconds;
  const size_t count = kParts[index].length == &StepPhases::between ? steps.size() - 1 : steps.size();
  for (size_t step = 0; step < count; ++step) {
    const double seconds = static_cast<double>(steps[step].*kParts[index].length) * kNanoseconds.size;
    part.set_epoch_seconds(part.epoch_seconds() + seconds);
    if (step < full_steps) {
      full_seconds.push_back(seconds);
    }
  }
  *part.mutable_full_steps() = ToStepTimes(std::move(full_seconds));
  return part;
}

}  // namespace

absl::StatusOr<InstrumentedSteps> ToInstrumentedSteps(const std::vector<uint64_t>& timestamps, uint32_t full_steps) {
  ASSIGN_OR_RETURN(const std::vector<StepPhases> phases, ToStepPhases(timestamps));
  if (phases.size() < full_steps) {
    return absl::InternalError(absl::StrCat("the GPU recorded timestamps in ", phases.size(), " steps, fewer than the ",
                                            full_steps, " full ones"));
  }
  InstrumentedSteps steps;
  for (size_t part = 0; part < std::size(kParts); ++part) {
    *steps.parts.add_part() = ToPart(phases, full_steps, part);
  }
  steps.parts.set_resolution_seconds(Resolution(timestamps));
  for (size_t step = 0; step < full_steps; ++step) {
    uint64_t nanoseconds = 0;
    for (const auto& part : kParts) {
      nanoseconds += part.length == &StepPhases::between ? 0 : phases[step].*part.length;
    }
    steps.full_seconds.push_back(static_cast<double>(nanoseconds) * kNanoseconds.size);
  }
  return steps;
}

}  // namespace lockstep
