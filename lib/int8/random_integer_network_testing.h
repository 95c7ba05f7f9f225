// Random integer networks from a seed: small ones of any shape, and the two that are measured. Test-only.
#ifndef LOCKSTEP_LIB_INT8_RANDOM_INTEGER_NETWORK_TESTING_H_
#define LOCKSTEP_LIB_INT8_RANDOM_INTEGER_NETWORK_TESTING_H_

#include <cstdint>
#include <random>
#include <vector>

#include "lib/int8/integer_reference.h"

namespace lockstep::testing {

// Returns one to five layers of any kind: kernels 1 to 7, strides 1 to 3, paddings up to the kernel's, pools,
// additions, zero points over the whole range, a multiplier for each channel, some of which make ties, extreme and zero
// weights.
IntegerNetwork RandomIntegerNetwork(std::mt19937& random);

enum class LastOutput { kInt8, kSums };

// Returns `shapes` with weights and parameters that keep values spread over the range.
IntegerNetwork RandomIntegerNetworkOf(const std::vector<LayerShape>& shapes, LastOutput last, uint32_t seed);

// Returns int8 values, mostly uniform over the whole range, sometimes all -128, all 127, or a mixture of these two.
std::vector<int8_t> RandomImages(size_t size, std::mt19937& random);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_INT8_RANDOM_INTEGER_NETWORK_TESTING_H_
