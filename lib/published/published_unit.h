// The units in which printed numbers of each kind are.
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// "s", "GB/s", "GB", "%", or "1" for what has no unit.
absl::string_view UnitOf(proto::PublishedQuantity quantity);

// OK when `unit` is empty or that of the quantity. InvalidArgument: it is not known, or it is another one.
absl::Status CheckUnit(absl::string_view unit, proto::PublishedQuantity quantity);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_UNIT_H_
