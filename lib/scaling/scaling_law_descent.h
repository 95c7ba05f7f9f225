// The parameters at which a scaling law is nearest to measured throughputs, in the sum of squares of the logs'
// differences.
//
// Gauss-Newton in (ln g of each batch, a, b), steps halved until they help, from ideal scaling. Pure function, any
// thread.
#ifndef LOCKSTEP_LIB_SCALING_SCALING_LAW_DESCENT_H_
#define LOCKSTEP_LIB_SCALING_SCALING_LAW_DESCENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/statistics/least_squares.h"
#include "lib/scaling/scaling_law.h"

namespace lockstep {

// n points; each batch has a g of its own.
struct LogThroughputs {
  std::vector<uint32_t> batches;       // each once
  std::vector<uint32_t> ranks;         // (n)
  std::vector<size_t> batch_index;     // (n), into `batches`
  std::vector<double> log_throughput;  // (n)
};

struct LawSolution {
  std::vector<double> parameters;  // ln g in the order of `batches`, a, and b where the law has one
  LeastSquaresFit linear;          // the law made linear there; its own parameters are the last step, nearly 0
  double sum_of_squares = 0;
};

struct LawSolutions {
  LawSolution free;
  LawSolution constrained;  // a, b >= 0: the best with some of them held at 0; `linear` is of those that are not
};

// FailedPrecondition: too few points, or too few different N, or N that do not tell g from a and b. Internal: the steps
// do not settle.
absl::StatusOr<LawSolutions> DescendToLaw(ScalingLaw law, const LogThroughputs& measured);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALING_LAW_DESCENT_H_
