// The units in which printed numbers of each kind are.
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Whether it is so many a second: images, samples, sequences, sentences or tokens.
bool IsRate(proto::PublishedQuantity quantity);

// "s", "GB/s", "GB", "%", "images/s" (the first of a rate's), or "1" for what has no unit.
absl::string_view UnitOf(proto::PublishedQuantity quantity);

// OK when `unit` is empty or one of the quantity's. InvalidArgument: it is not known, or it is another one.
absl::Status CheckUnit(absl::string_view unit, proto::PublishedQuantity quantity);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_
