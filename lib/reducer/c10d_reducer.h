// LibTorch's own reducer (c10d::Reducer, on which torch.nn.parallel.DistributedDataParallel is built), for comparison
// with ours: over the same communicator, with the same buckets, without Python.
//
// It begins with the same buckets as ours. (In Python, DistributedDataParallel begins with a single bucket.) After the
// first step it rebuilds its buckets in the order in which rank 0's gradients became ready, by the rule of
// bucket_plan.h.
#ifndef LOCKSTEP_LIB_REDUCER_C10D_REDUCER_H_
#define LOCKSTEP_LIB_REDUCER_C10D_REDUCER_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/communicator/communicator.h"
#include "lib/reducer/gradient_reducer.h"

namespace lockstep {

// Makes a reducer. `communicator` must outlive it. InvalidArgument: no parameters; a parameter that does not satisfy
// NamedParameter; or an option that c10d::Reducer does not support: overlap = false, a communication dtype other than
// fp32, given buckets, or buckets by time. AfterBackward returns FailedPrecondition if a parameter got no gradient, and
// Unavailable if a rank is lost.
//
// The reducer waits for its sums before backward returns. So its times take the launch of the last bucket as the end of
// backward. The last bucket holds the last gradient, so little of backward remains after that.
absl::StatusOr<std::unique_ptr<GradientReducer>> MakeC10dReducer(std::vector<NamedParameter> parameters,
                                                                 Communicator& communicator,
                                                                 const ReducerOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_C10D_REDUCER_H_
