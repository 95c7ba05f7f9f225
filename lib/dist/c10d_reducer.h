// LibTorch's own reducer (c10d::Reducer, what torch.nn.parallel.DistributedDataParallel is made of) beside ours, for
// comparison: over the same communicator, with the same buckets, without Python.
//
// It begins with the buckets that ours begins with. (In Python, DistributedDataParallel begins with a single one.) After
// the first step it makes new ones of its own accord, by the order in which rank 0's gradients became ready; its rule is
// the one that bucket_plan.h has.
#ifndef LOCKSTEP_LIB_DIST_C10D_REDUCER_H_
#define LOCKSTEP_LIB_DIST_C10D_REDUCER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dist/communicator.h"
#include "lib/dist/gradient_reducer.h"

namespace lockstep {

// `communicator` outlives it. InvalidArgument: no parameters, one that is not as NamedParameter says, or an option that it
// has no way to follow: overlap false, another wire than fp32, or buckets that are given or go by time. FailedPrecondition, by AfterBackward: a parameter got no
// gradient.
//
// In its times, backward's end is where its last bucket was asked for: the reducer waits for its sums before backward
// returns. That is the last gradient, so little is left of backward then. Unavailable: a rank is lost.
absl::StatusOr<std::unique_ptr<GradientReducer>> MakeC10dReducer(std::vector<NamedParameter> parameters,
                                                                 Communicator& communicator,
                                                                 const ReducerOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_C10D_REDUCER_H_
