// Energy of all devices of a point.
#ifndef LOCKSTEP_LIB_SCALING_POINT_ENERGY_H_
#define LOCKSTEP_LIB_SCALING_POINT_ENERGY_H_

#include <cstdint>

#include "lib/proto/quantity.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Returns the joules of a mean epoch over all devices:
// - GPUs: the sum over the ranks;
// - CPUs: the sum over the hosts, of which each rank reads the counter of the whole host.
// Ends of intervals are added, because the errors of sensors of one kind may be equal. Absent if a rank's energy is
// absent, with that rank's reason, or if the record is older than the field.
proto::Quantity PointEpochJoules(const proto::ScaleSpec& spec, const proto::ScalePoint& point);

// Returns joules / images with its interval. Absent if `joules` is, or if there are no images.
proto::Quantity JoulesPerImage(const proto::Quantity& joules, uint64_t images);

// Returns images / joules with its interval, absent like JoulesPerImage. An interval that begins at 0 has no upper end.
proto::Quantity ImagesPerJoule(const proto::Quantity& joules, uint64_t images);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POINT_ENERGY_H_
