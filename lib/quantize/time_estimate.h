// Estimate of a run's time from runs on a few images.
#ifndef LOCKSTEP_LIB_QUANTIZE_TIME_ESTIMATE_H_
#define LOCKSTEP_LIB_QUANTIZE_TIME_ESTIMATE_H_

#include <cstddef>

namespace lockstep {

// Seconds of a run on a number of images.
struct TimedImages {
  double images = 0;
  double seconds = 0;
};

// Returns the number of images that take about `wanted_seconds` if `timed` took its time, from `min` to `max`.
size_t ImagesInSeconds(double wanted_seconds, const TimedImages& timed, size_t min, size_t max);

// Returns the seconds of a run on `images` images: the line through both runs, whose constant is the fixed cost of a
// run. If the second run has no more images than the first or was not slower, so that clocks are noise, returns the
// second one's time, scaled.
double SecondsFor(double images, const TimedImages& few, const TimedImages& more);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_TIME_ESTIMATE_H_
