// Network description for the plain loops: a graph of layers with shapes and fp32 weights, independent of any
// framework.
//
// A layer is a convolution, a fully connected layer, an addition or a pool, together with the ReLU and then the
// max-pooling that follow it. It reads the outputs of earlier layers.
//
// Layouts. Inputs and outputs of layers are (height, width, channels), channels innermost (NHWC). Weights are (out, in,
// kernel, kernel), as in PyTorch and ONNX.
#ifndef LOCKSTEP_LIB_INT8_NETWORK_H_
#define LOCKSTEP_LIB_INT8_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

enum class LayerKind { kConv2d, kLinear, kAdd, kGlobalAveragePool };

// Height, width and channels of a layer's input or output.
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

// Position of a layer in the graph, and its shape. A fully connected layer is a convolution whose kernel is as large as
// its input: its weights (out, in * height * width) read the input channel by channel, in PyTorch's order.
struct LayerShape {
  std::string name;  // "conv1", "layer2.0.add": the prefix of its parameters' names, if it has parameters
  LayerKind kind = LayerKind::kConv2d;
  // Tensors that the layer reads: 0 is the image, n the output of the network's n-th layer (the first layer writes 1).
  // An addition reads two tensors, both of the shape in_*; any other layer reads one.
  std::vector<uint32_t> inputs;
  uint32_t in_channels = 0;
  uint32_t in_height = 1;
  uint32_t in_width = 1;
  uint32_t out_channels = 0;
  uint32_t kernel = 1;   // height and width; 1 for an addition and for a pool
  uint32_t stride = 1;   // vertical and horizontal
  uint32_t padding = 0;  // zeros on each of the four sides; less than the kernel
  bool relu = false;
  uint32_t pool = 0;  // side and stride of the max-pooling window after ReLU; 0: no max-pooling

  bool HasWeights() const { return kind == LayerKind::kConv2d || kind == LayerKind::kLinear; }

  Extent In() const { return {in_height, in_width, in_channels}; }
  Extent Out() const;     // before max-pooling
  Extent Pooled() const;  // after max-pooling: the extent of the layer's output

  size_t Terms() const { return size_t{in_channels} * kernel * kernel; }  // products per output
  size_t WeightSize() const { return HasWeights() ? out_channels * Terms() : 0; }

  // Multiply-accumulates of one image; 0 for a layer without weights. RealMacs leaves out operations on padding.
  uint64_t Macs() const { return HasWeights() ? Out().Size() * Terms() : 0; }
  uint64_t RealMacs() const;
};

// Return the shape of a layer that reads tensor `input`, of extent `in`: a convolution of stride 1 without padding, a
// fully connected layer, an addition of two tensors, an average over all pixels. The caller sets stride, padding, ReLU
// and max-pooling.
LayerShape ConvShape(std::string name, uint32_t input, Extent in, uint32_t out_channels, uint32_t kernel);
LayerShape LinearShape(std::string name, uint32_t input, Extent in, uint32_t out_channels);
LayerShape AddShape(std::string name, uint32_t first, uint32_t second, Extent in);
LayerShape GlobalAveragePoolShape(std::string name, uint32_t input, Extent in);

// Taps of a kernel that meet the input, not its padding, along one dimension: [first, last), possibly empty.
struct Taps {
  int64_t first;
  int64_t last;
};
// Returns the taps for output position `place` along a dimension in which the input has `size` values.
Taps RealTaps(const LayerShape& shape, uint32_t place, uint32_t size);

// Returns the lab's network on (3, 32, 32): conv1 3->6 k5, pool, conv2 6->16 k5, pool, fc1 400->120, fc2 ->84, fc3
// ->10, ReLU after all but the last. 651,720 multiply-accumulates.
std::vector<LayerShape> LeNet5Layers();

// Returns kuangliu/pytorch-cifar's ResNet-18 on (3, 32, 32), with batch norm folded into the convolutions: the stem
// conv1, the blocks layer1.0 to layer4.1 (conv1, conv2, shortcut.0 if the shape changes, add), the average pool,
// linear. 555,422,720 multiply-accumulates.
std::vector<LayerShape> ResNet18Layers();

// Returns the multiply-accumulates of one image.
uint64_t CountMacs(const std::vector<LayerShape>& layers);

// Returns the extent of tensor `tensor` (see LayerShape::inputs) of a network with these layers. The first layer must
// read the image.
Extent TensorExtent(const std::vector<LayerShape>& layers, uint32_t tensor);

struct FloatLayer {
  LayerShape shape;
  std::vector<float> weight;  // fp32 (out, in, kernel, kernel); empty for a layer without weights
  std::vector<float> bias;    // fp32 (out); empty: no bias
};

struct FloatNetwork {
  std::string name;  // "lenet5_bias"
  std::vector<FloatLayer> layers;

  bool HasBias() const;
  std::vector<LayerShape> Shapes() const;
};

// Return FailedPreconditionError with the layer's name and both numbers unless all of these hold:
// - Each layer reads tensors that earlier layers write, with the extents that its shape states.
// - The first layer reads the image, and no later layer reads it with another extent.
// - Each kernel fits.
// - Weight and bias have the sizes of the shape (CheckNetwork only).
absl::Status CheckShapes(const std::vector<LayerShape>& layers);
absl::Status CheckNetwork(const FloatNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_NETWORK_H_
