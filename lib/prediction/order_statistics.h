// What the slowest of N costs: expected extremes of N independent normal variables.
//
// A synchronous step ends when its slowest device does. When the devices' times vary with standard deviation sigma, the
// step takes E[max of N] * sigma longer than their mean. Source: H. A. David and H. N. Nagaraja, "Order Statistics",
// 3rd edition (2003), section 3.1: E[max] = integral of x * N * phi(x) * Phi(x)^(N-1). Pure functions, any thread.
#ifndef LOCKSTEP_LIB_PREDICTION_ORDER_STATISTICS_H_
#define LOCKSTEP_LIB_PREDICTION_ORDER_STATISTICS_H_

#include <cstdint>

namespace lockstep {

// The expected largest of N standard normal variables, N >= 1: 0, 0.5642, 0.8463, 1.0294, ... Its relative error is
// below 1e-9 up to N = 2^20.
double ExpectedMaximum(uint32_t count);

// The expected largest minus the expected smallest: twice the above.
double ExpectedRange(uint32_t count);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_ORDER_STATISTICS_H_
