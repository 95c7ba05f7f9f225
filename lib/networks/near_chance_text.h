// A warning on networks that have learned too little for a judgement of int8.
#ifndef LOCKSTEP_LIB_NETWORKS_NEAR_CHANCE_TEXT_H_
#define LOCKSTEP_LIB_NETWORKS_NEAR_CHANCE_TEXT_H_

#include <string>

#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Returns a warning if the first stage that was run on the test images, fp32 or that of an imported network, is little
// more accurate than chance (IsNearChance of lib/networks/int8_shape.h). Returns an empty text otherwise.
std::string NearChanceText(const proto::QuantizedNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NETWORKS_NEAR_CHANCE_TEXT_H_
