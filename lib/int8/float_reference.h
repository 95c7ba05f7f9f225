// A network in fp32 by plain loops: gives access to the values between layers, and is the reference implementation of
// LibTorch's forward pass.
#ifndef LOCKSTEP_LIB_INT8_FLOAT_REFERENCE_H_
#define LOCKSTEP_LIB_INT8_FLOAT_REFERENCE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "lib/int8/network.h"

namespace lockstep {

// Callback after each layer: the layer's index and its output, shape.Out(), before and after ReLU, in both cases before
// max-pooling. Without ReLU `after` equals `before`.
using FloatObserver =
    std::function<void(size_t layer, const std::vector<float>& before, const std::vector<float>& after)>;

// Runs the network on one image and returns the last layer's output. `image`: fp32 (height, width, channels), the first
// layer's input. `network` must pass CheckNetwork. Terms are added in sequence in fp32, the bias first: with K terms
// and u = 2^-24 an output differs from the exact sum by at most (K + 1) * u * (|bias| + sum |weight| |input|), to first
// order in u.
std::vector<float> RunFloat(const FloatNetwork& network, const float* image, const FloatObserver& observe = nullptr);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_FLOAT_REFERENCE_H_
