// What a network is made of, for the plain loops: shapes and fp32 weights, no framework.
//
// One layer is a convolution or a fully connected layer together with what follows it: ReLU, then max-pooling.
#ifndef LOCKSTEP_LIB_INT8_NETWORK_H_
#define LOCKSTEP_LIB_INT8_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

enum class LayerKind { kConv2d, kLinear };

// Shapes of one layer. A convolution has stride 1 and no padding; a fully connected layer reads its input flattened,
// and is written as in_channels features of 1 x 1 with a 1 x 1 kernel.
struct LayerShape {
  std::string name;  // "conv1": the name of its parameters
  LayerKind kind = LayerKind::kConv2d;
  uint32_t in_channels = 0;
  uint32_t in_height = 1;
  uint32_t in_width = 1;
  uint32_t out_channels = 0;
  uint32_t kernel = 1;  // height and width
  bool relu = false;
  uint32_t pool = 0;  // side and stride of the max-pooling window after ReLU; 0: none

  uint32_t OutHeight() const { return in_height - kernel + 1; }  // before pooling
  uint32_t OutWidth() const { return in_width - kernel + 1; }
  uint32_t PooledHeight() const { return pool == 0 ? OutHeight() : OutHeight() / pool; }
  uint32_t PooledWidth() const { return pool == 0 ? OutWidth() : OutWidth() / pool; }

  size_t Terms() const { return size_t{in_channels} * kernel * kernel; }  // products summed in one output
  size_t WeightSize() const { return out_channels * Terms(); }
  size_t InputSize() const { return size_t{in_channels} * in_height * in_width; }
  size_t OutputSize() const { return size_t{out_channels} * OutHeight() * OutWidth(); }  // before pooling
  size_t PooledSize() const { return size_t{out_channels} * PooledHeight() * PooledWidth(); }
};

// The lab's network on (3, 32, 32): conv1 3->6 k5, pool, conv2 6->16 k5, pool, fc1 400->120, fc2 ->84, fc3 ->10, ReLU
// after all but the last. 651,720 multiply-accumulates.
std::vector<LayerShape> LeNet5Layers();

// Multiply-accumulates of one image.
uint64_t CountMacs(const std::vector<LayerShape>& layers);

struct FloatLayer {
  LayerShape shape;
  std::vector<float> weight;  // fp32 (out, in, kernel, kernel) or (out, in)
  std::vector<float> bias;    // fp32 (out); empty: none
};

struct FloatNetwork {
  std::string name;  // "lenet5_bias"
  std::vector<FloatLayer> layers;

  bool HasBias() const;
};

// OK when each layer reads as many values as the one before it gives, the kernel fits, and weight and bias have the
// shape's sizes. FailedPrecondition names the layer and both numbers.
absl::Status CheckShapes(const std::vector<LayerShape>& layers);
absl::Status CheckNetwork(const FloatNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_NETWORK_H_
