// A fingerprint of what was learnt, by which ranks know that they hold the same.
#ifndef LOCKSTEP_LIB_DIST_WEIGHTS_DIGEST_H_
#define LOCKSTEP_LIB_DIST_WEIGHTS_DIGEST_H_

#include <string>

#include "lib/nn/model.h"

namespace lockstep {

// SHA-256 in hex over the parameters in the order of registration, as contiguous fp32 on the host. Buffers are left out:
// batch norm's running statistics may be each rank's own.
std::string WeightsDigest(const Model& model);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_WEIGHTS_DIGEST_H_
