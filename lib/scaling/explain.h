// Explains a scaling run's times: one ScalingRow per (N, batch), every number by a formula of
// lib/proto/comm_model.proto.
//
// The record's points must all be trained alike (scale_parts.h).
//
// A quantity whose inputs are absent is absent, with the reason. A negative time stays negative, and its `method`
// reports this.
#ifndef LOCKSTEP_LIB_SCALING_EXPLAIN_H_
#define LOCKSTEP_LIB_SCALING_EXPLAIN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/scaling/base_cases.h"

namespace lockstep {

// Returns the spec of the request, with facts from the scale record's own spec. `nominal_link_bytes_per_second`:
// bandwidth of one device's link in one direction; 0: not given. FailedPrecondition: the record has no spec.
absl::StatusOr<proto::CommModelSpec> MakeCommModelSpec(const ScaleRecords& scale, double nominal_link_bytes_per_second);

// Returns rows in the order in which the record first names their (ranks, batch). `sweep` may be null: it only adds
// base cases. FailedPrecondition: the record has no spec, or no points. DataLoss: a point of no ranks, of an empty
// batch, or of a global batch that does not fit in 32 bits.
absl::StatusOr<std::vector<proto::ScalingRow>> ExplainScaling(const ScaleRecords& scale, const SweepRecords* sweep,
                                                              const proto::CommModelSpec& spec);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_EXPLAIN_H_
