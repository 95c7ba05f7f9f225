// Three laws of how throughput grows with the number of devices N.
//
//   amdahl      X(N) = g N / (1 + a(N-1))               a: the serial fraction
//   gustafson   X(N) = g (N - a(N-1))                   a: the serial fraction of the scaled work
//   universal   X(N) = g N / (1 + a(N-1) + b N(N-1))    a: contention, b: coherency; Gunther's Universal Scalability
//   Law
//
// g is one device's throughput. Sources: G. Amdahl, AFIPS 1967; J. Gustafson, CACM 31 (1988); N. Gunther, "Guerrilla
// capacity planning" (2007), chapter 4. Pure functions, any thread.
#ifndef LOCKSTEP_LIB_SCALING_SCALING_LAW_H_
#define LOCKSTEP_LIB_SCALING_SCALING_LAW_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace lockstep {

enum class ScalingLaw { kAmdahl, kGustafson, kUniversal };

// The name as above.
absl::string_view ScalingLawName(ScalingLaw law);

// How many of a and b the law has.
size_t ShapeCount(ScalingLaw law);

// ln(X(N) / g) and its derivatives by a and b. Not a number, or infinite, where the law gives no throughput.
struct LogSpeedup {
  double value = 0;
  double by_serial = 0;
  double by_coherency = 0;
};

LogSpeedup LogSpeedupAt(ScalingLaw law, double ranks, double serial, double coherency);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALING_LAW_H_
