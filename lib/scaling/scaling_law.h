// Three laws of how throughput grows with the number of devices N.
//
//     amdahl      X(N) = g N / (1 + a(N-1))               a: the serial fraction
//     gustafson   X(N) = g (N - a(N-1))                   a: the serial fraction of the scaled work
//     universal   X(N) = g N / (1 + a(N-1) + b N(N-1))    a: contention, b: coherency
//
// g is one device's throughput; universal is Gunther's Universal Scalability Law. Sources: G. Amdahl, AFIPS 1967;
// J. Gustafson, CACM 31 (1988); N. Gunther, "Guerrilla capacity planning" (2007), chapter 4.
// Pure functions, any thread.
#ifndef LOCKSTEP_LIB_SCALING_SCALING_LAW_H_
#define LOCKSTEP_LIB_SCALING_SCALING_LAW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/statistics/least_squares.h"

namespace lockstep {

enum class ScalingLaw { kAmdahl, kGustafson, kUniversal };

// Returns the name in the list above.
absl::string_view ScalingLawName(ScalingLaw law);

// Returns the number of shape parameters of the law: a, or a and b.
size_t ShapeCount(ScalingLaw law);

// ln(X(N) / g) and its derivatives by a and b. NaN or infinite if the law gives no throughput.
struct LogSpeedup {
  double value = 0;
  double by_serial = 0;
  double by_coherency = 0;
};

LogSpeedup LogSpeedupAt(ScalingLaw law, double ranks, double serial, double coherency);

// n points; each batch has its own g.
struct LogThroughputs {
  std::vector<uint32_t> batches;       // distinct batches
  std::vector<uint32_t> ranks;         // (n)
  std::vector<size_t> batch_index;     // (n), index into `batches`
  std::vector<double> log_throughput;  // (n)
};

struct LawSolution {
  std::vector<double> parameters;  // ln g in the order of `batches`, a, and b if the law has it
  LeastSquaresFit linear;          // linearized law at the solution; its own parameters are the last step, nearly 0
  double sum_of_squares = 0;
};

struct LawSolutions {
  LawSolution free;
  LawSolution constrained;  // solution for a, b >= 0: the best with some of them held at 0; `linear` is of the others
};

// FailedPrecondition: too few points, too few different N, or N that do not determine g, a and b. Internal: the steps
// do not converge.
absl::StatusOr<LawSolutions> DescendToLaw(ScalingLaw law, const LogThroughputs& measured);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALING_LAW_H_
