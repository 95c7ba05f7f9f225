#include "lib/quantize/time_estimate.h"

#include <algorithm>

namespace lockstep {

size_t ImagesInSeconds(double wanted_seconds, const TimedImages& timed, size_t min, size_t max) {
  const double images = timed.seconds > 0 ? timed.images * wanted_seconds / timed.seconds : static_cast<double>(max);
  return static_cast<size_t>(std::clamp(images, static_cast<double>(min), static_cast<double>(max)));
}

double SecondsFor(double images, const TimedImages& few, const TimedImages& more) {
  if (more.images <= few.images || more.seconds <= few.seconds) {
    return more.images > 0 ? more.seconds * images / more.images : more.seconds;
  }
  const double per_image = (more.seconds - few.seconds) / (more.images - few.images);
  return std::max(0.0, more.seconds + per_image * (images - more.images));
}

}  // namespace lockstep
