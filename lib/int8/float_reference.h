// A network in fp32 by plain loops: shows what lies between the layers, and is the twin of LibTorch's forward pass.
#ifndef LOCKSTEP_LIB_INT8_FLOAT_REFERENCE_H_
#define LOCKSTEP_LIB_INT8_FLOAT_REFERENCE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "lib/int8/network.h"

namespace lockstep {

// Called after each layer: its index, and its output, shape.Out(), before and after ReLU, both before max-pooling.
// Without ReLU `after` equals `before`.
using FloatObserver =
    std::function<void(size_t layer, const std::vector<float>& before, const std::vector<float>& after)>;

// `image`: fp32 (height, width, channels), as the first layer reads it. Returns the last layer's output. `network` must
// pass CheckNetwork. Terms are added one after another in fp32, the bias first: with K terms and u = 2^-24 an output
// differs from the exact sum by at most (K + 1) * u * (|bias| + sum |weight| |input|), to first order in u.
std::vector<float> RunFloat(const FloatNetwork& network, const float* image, const FloatObserver& observe = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_FLOAT_REFERENCE_H_
