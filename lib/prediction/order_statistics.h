// Cost of waiting for the slowest of N: expected extremes of N independent normal variables.
//
// A synchronous step ends when its slowest device does. If the devices' times vary with standard deviation sigma, the
// step takes E[max of N] * sigma longer than their mean. Source: H. A. David and H. N. Nagaraja, "Order Statistics",
// 3rd edition (2003), section 3.1: E[max] = integral of x * N * phi(x) * Phi(x)^(N-1). Pure functions, any thread.
#ifndef LOCKSTEP_LIB_PREDICTION_ORDER_STATISTICS_H_
#define LOCKSTEP_LIB_PREDICTION_ORDER_STATISTICS_H_

#include <cstdint>

namespace lockstep {

// Returns the expected largest of N standard normal variables: 0, 0.5642, 0.8463, 1.0294, ... N must be >= 1. The
// relative error is below 1e-9 up to N = 2^20.
double ExpectedMaximum(uint32_t count);

// Returns the expected largest minus the expected smallest: twice ExpectedMaximum.
double ExpectedRange(uint32_t count);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_ORDER_STATISTICS_H_
