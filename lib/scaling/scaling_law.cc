#include "lib/scaling/scaling_law.h"

#include <cmath>

namespace lockstep {

absl::string_view ScalingLawName(ScalingLaw law) {
  switch (law) {
    case ScalingLaw::kAmdahl:
      return "amdahl";
    case ScalingLaw::kGustafson:
      return "gustafson";
    case ScalingLaw::kUniversal:
      return "universal";
  }
  return "";
}

size_t ShapeCount(ScalingLaw law) { return law == ScalingLaw::kUniversal ? 2 : 1; }

LogSpeedup LogSpeedupAt(ScalingLaw law, double ranks, double serial, double coherency) {
  if (law == ScalingLaw::kGustafson) {
    const double speedup = ranks - serial * (ranks - 1);
    return {std::log(speedup), -(ranks - 1) / speedup, 0};
  }
  const double slowdown = 1 + serial * (ranks - 1) + coherency * ranks * (ranks - 1);
  return {std::log(ranks) - std::log(slowdown), -(ranks - 1) / slowdown, -ranks * (ranks - 1) / slowdown};
}

}  // namespace lockstep
