// Units of each kind of printed number.
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Returns true for a rate: images, samples, sequences, sentences or tokens per second.
bool IsRate(proto::PublishedQuantity quantity);

// Returns "s", "GB/s", "GB", "MB", "MiB", "%", "images/s" (the first unit of a rate), or "1" for a quantity without a
// unit.
absl::string_view UnitOf(proto::PublishedQuantity quantity);

// Returns OK if `unit` is empty or a unit of the quantity. InvalidArgument: `unit` is unknown, or of another quantity.
absl::Status CheckUnit(absl::string_view unit, proto::PublishedQuantity quantity);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_
