// One synchronised batch norm against batch norm in double over all ranks' images. Test-only.
#ifndef LOCKSTEP_LIB_DIST_ONE_LAYER_CHECK_H_
#define LOCKSTEP_LIB_DIST_ONE_LAYER_CHECK_H_

#include <c10/core/Device.h>

#include <string>

#include "lib/dist/communicator.h"

namespace lockstep::testing {

// Called by all ranks: one pass on this rank's share of the images, which no other rank has as many of. `how` may hold
// "bf16", "channels-last", and "alone": the all-reduce left out, so that this rank's own images are all there are. "" when
// output, gradients, running statistics and what was counted are right, else what is off.
std::string CheckOneLayer(Communicator& communicator, c10::Device device, const std::string& how);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_DIST_ONE_LAYER_CHECK_H_
