// Comparison of one synchronised batch norm with batch norm in double over all ranks' images. Test-only.
#ifndef LOCKSTEP_LIB_REDUCER_ONE_LAYER_CHECK_TESTING_H_
#define LOCKSTEP_LIB_REDUCER_ONE_LAYER_CHECK_TESTING_H_

#include <c10/core/Device.h>

#include <string>

#include "lib/communicator/communicator.h"

namespace lockstep::testing {

// Runs one pass on this rank's images, whose number differs between the ranks. All ranks must call it. `how` may
// contain "bf16", "channels-last", and "alone": no all-reduce, so that the statistics cover this rank's own images
// only. Returns "" if output, gradients, running statistics and counted traffic are right, else a description of the
// differences.
std::string CheckOneLayer(Communicator& communicator, c10::Device device, const std::string& how);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_REDUCER_ONE_LAYER_CHECK_TESTING_H_
