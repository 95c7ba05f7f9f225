// What a network is made of, for the plain loops: a graph of layers, their shapes and fp32 weights, no framework.
//
// One layer is a convolution, a fully connected layer, an addition or a pool, together with what follows it: ReLU, then
// max-pooling. It reads what earlier layers wrote.
//
// Layouts. What layers read and write lies as (height, width, channels), channels together (NHWC). Weights lie as
// PyTorch and ONNX have them, (out, in, kernel, kernel).
#ifndef LOCKSTEP_LIB_INT8_NETWORK_H_
#define LOCKSTEP_LIB_INT8_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

enum class LayerKind { kConv2d, kLinear, kAdd, kGlobalAveragePool };

// Height, width and channels of what a layer reads or writes.
struct Extent {
  uint32_t height = 0;
  uint32_t width = 0;
  uint32_t channels = 0;

  size_t Size() const { return size_t{height} * width * channels; }
  bool operator==(const Extent& other) const {
    return height == other.height && width == other.width && channels == other.channels;
  }
  bool operator!=(const Extent& other) const { return !(*this == other); }
};

// One layer's place in the graph and its shape. A fully connected layer is a convolution whose kernel is as large as its
// input: its weights (out, in * height * width) read the input channel by channel, as PyTorch flattens it.
struct LayerShape {
  std::string name;  // "conv1", "layer2.0.add": the name of its parameters, if it has any
  LayerKind kind = LayerKind::kConv2d;
  // The tensors that it reads: 0 is the image, n what the network's n-th layer wrote (the first layer writes 1). Two of
  // an addition, which both have the shape in_*; else one.
  std::vector<uint32_t> inputs;
  uint32_t in_channels = 0;
  uint32_t in_height = 1;
  uint32_t in_width = 1;
  uint32_t out_channels = 0;
  uint32_t kernel = 1;   // height and width; 1 of an addition and of a pool
  uint32_t stride = 1;   // both ways
  uint32_t padding = 0;  // zeros on each side, both ways; less than the kernel
  bool relu = false;
  uint32_t pool = 0;  // side and stride of the max-pooling window after ReLU; 0: none

  bool HasWeights() const { return kind == LayerKind::kConv2d || kind == LayerKind::kLinear; }

  Extent In() const { return {in_height, in_width, in_channels}; }
  Extent Out() const;     // before max-pooling
  Extent Pooled() const;  // after it: what the layer writes

  size_t Terms() const { return size_t{in_channels} * kernel * kernel; }  // products summed in one output
  size_t WeightSize() const { return HasWeights() ? out_channels * Terms() : 0; }

  // Multiply-accumulates of one image; 0 of a layer without weights. `real` leaves out those that read padding.
  uint64_t Macs() const { return HasWeights() ? Out().Size() * Terms() : 0; }
  uint64_t RealMacs() const;
};

// Shapes of layers that read tensor `input`, of extent `in`: a convolution of stride 1 without padding, a fully connected
// layer, an addition of two tensors, an average over all pixels. Stride, padding, ReLU and max-pooling are set after.
LayerShape ConvShape(std::string name, uint32_t input, Extent in, uint32_t out_channels, uint32_t kernel);
LayerShape LinearShape(std::string name, uint32_t input, Extent in, uint32_t out_channels);
LayerShape AddShape(std::string name, uint32_t first, uint32_t second, Extent in);
LayerShape GlobalAveragePoolShape(std::string name, uint32_t input, Extent in);

// The taps of a kernel that meet the input, not its padding, along one dimension: [first, last), maybe none.
struct Taps {
  int64_t first;
  int64_t last;
};
// `place`: the output's, of an input of `size`.
Taps RealTaps(const LayerShape& shape, uint32_t place, uint32_t size);

// The lab's network on (3, 32, 32): conv1 3->6 k5, pool, conv2 6->16 k5, pool, fc1 400->120, fc2 ->84, fc3 ->10, ReLU
// after all but the last. 651,720 multiply-accumulates.
std::vector<LayerShape> LeNet5Layers();

// kuangliu/pytorch-cifar's ResNet-18 on (3, 32, 32), batch norm folded into the convolutions: the stem conv1, the blocks
// layer1.0 to layer4.1 (conv1, conv2, shortcut.0 where the shape changes, add), the average pool, linear.
// 555,422,720 multiply-accumulates.
std::vector<LayerShape> ResNet18Layers();

// Multiply-accumulates of one image.
uint64_t CountMacs(const std::vector<LayerShape>& layers);

// What tensor `tensor` (see LayerShape::inputs) of a network with these layers holds. The first layer reads the image.
Extent TensorExtent(const std::vector<LayerShape>& layers, uint32_t tensor);

struct FloatLayer {
  LayerShape shape;
  std::vector<float> weight;  // fp32 (out, in, kernel, kernel); empty of a layer without weights
  std::vector<float> bias;    // fp32 (out); empty: none
};

struct FloatNetwork {
  std::string name;  // "lenet5_bias"
  std::vector<FloatLayer> layers;

  bool HasBias() const;
  std::vector<LayerShape> Shapes() const;
};

// OK when each layer reads tensors that are written before it, of the extents that it wants, the first one reads the
// image and no later one another extent of it, each kernel fits, and weight and bias have the shape's sizes.
// FailedPrecondition names the layer and both numbers.
absl::Status CheckShapes(const std::vector<LayerShape>& layers);
absl::Status CheckNetwork(const FloatNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_NETWORK_H_
