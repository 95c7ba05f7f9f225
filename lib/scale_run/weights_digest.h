// Digest of the trained weights, with which the ranks check that their weights are equal.
#ifndef LOCKSTEP_LIB_SCALE_RUN_WEIGHTS_DIGEST_H_
#define LOCKSTEP_LIB_SCALE_RUN_WEIGHTS_DIGEST_H_

#include <string>

#include "lib/nn/model.h"

namespace lockstep {

// Returns the SHA-256 in hex over the parameters in the order of registration, as contiguous fp32 on the host. Buffers
// are not included: batch norm's running statistics may differ between ranks.
std::string WeightsDigest(const Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_WEIGHTS_DIGEST_H_
