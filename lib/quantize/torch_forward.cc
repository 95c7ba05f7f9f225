#include "lib/quantize/torch_forward.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/fake_quantize_per_tensor_affine.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sub.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/device/torch_status.h"
#include "lib/int8/quantize_layers.h"

namespace lockstep {
namespace {

// Rounding of a tensor to multiples of `step`, clamped to the 256 values around the zero point. Step 0: no rounding.
struct Rounding {
  double step = 0;
  int64_t zero_point = 0;
};

struct Layer {
  LayerShape shape;
  at::Tensor weight;       // fp32 (out, in, kernel, kernel), channels last; undefined without weights
  at::Tensor int8_weight;  // dequantized int8 weights; undefined without a record
  std::optional<at::Tensor> bias;
  Rounding rounding;  // rounding of the layer's output
};

// Copies values to the device. from_blob requires a non-const pointer, but only reads here.
at::Tensor Copy(const std::vector<float>& values, at::IntArrayRef sizes, c10::Device device) {
  return at::from_blob(const_cast<float*>(values.data()), sizes).clone().to(device);
}

// Returns fp32 (count, channels, height, width), channels last.
at::Tensor ToImages(const std::vector<float>& images, size_t count, const Extent& in, c10::Device device) {
  return Copy(images, {static_cast<int64_t>(count), in.channels, in.height, in.width}, device)
      .contiguous(at::MemoryFormat::ChannelsLast);
}

at::Tensor CopyWeight(const FloatLayer& layer, c10::Device device) {
  const int64_t out = layer.shape.out_channels, in = layer.shape.in_channels, kernel = layer.shape.kernel;
  return Copy(layer.weight, {out, in, kernel, kernel}, device).contiguous(at::MemoryFormat::ChannelsLast);
}

Layer ToLayer(const FloatLayer& source, c10::Device device) {
  Layer layer;
  layer.shape = source.shape;
  if (source.shape.HasWeights()) {
    layer.weight = CopyWeight(source, device);
  }
  if (!source.bias.empty()) {
    layer.bias = Copy(source.bias, {static_cast<int64_t>(source.bias.size())}, device);
  }
  return layer;
}

at::Tensor Round(const at::Tensor& values, const Rounding& rounding) {
  return rounding.step == 0
             ? values
             : at::fake_quantize_per_tensor_affine(values, rounding.step, rounding.zero_point, -128, 127);
}

// Returns the layer's output before ReLU: fp32 (N, out, OutHeight, OutWidth).
at::Tensor Compute(const Layer& layer, const std::vector<at::Tensor>& tensors, bool int8) {
  const at::Tensor& input = tensors[layer.shape.inputs[0]];
  switch (layer.shape.kind) {
    case LayerKind::kAdd:
      return at::add(input, tensors[layer.shape.inputs[1]]);
    case LayerKind::kGlobalAveragePool:
      return at::mean(input, {2, 3}, /*keepdim=*/true);
    default:
      return at::conv2d(input, int8 ? layer.int8_weight : layer.weight, layer.bias, layer.shape.stride,
                        layer.shape.padding);
  }
}

// Returns all values in one block of host memory, image by image, channels last.
at::Tensor Dense(const at::Tensor& tensor) { return tensor.cpu().contiguous(at::MemoryFormat::ChannelsLast); }

// Tensors of one layer before max-pooling: its input (the first of an addition's two), its output before and after
// ReLU, and the output as written.
struct LayerTensors {
  size_t index;
  const Layer& layer;
  const at::Tensor& input;
  const at::Tensor& before;
  const at::Tensor& after;
  const at::Tensor& written;
};
using LayerVisitor = std::function<void(const LayerTensors&)>;

// Runs the layers in sequence on `image`, the first layer's input, and calls `visit` for each. Returns the last layer's
// output.
at::Tensor Walk(const std::vector<Layer>& layers, const at::Tensor& image, const Int8Mask& int8,
                const LayerVisitor& visit) {
  std::vector<at::Tensor> tensors = {image};
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    const bool is_int8 = !int8.empty() && int8[i + 1];
    const at::Tensor before = Compute(layer, tensors, is_int8);
    const at::Tensor after = layer.shape.relu ? at::relu(before) : before;
    const at::Tensor written = is_int8 ? Round(after, layer.rounding) : after;
    visit({i, layer, tensors[layer.shape.inputs[0]], before, after, written});
    tensors.push_back(layer.shape.pool == 0 ? written : at::max_pool2d(written, layer.shape.pool));
  }
  return tensors.back();
}

void Observe(const LayerTensors& tensors, const BatchObserver& observe) {
  const at::Tensor before = Dense(tensors.before), after = Dense(tensors.after), written = Dense(tensors.written);
  observe({tensors.index, before.const_data_ptr<float>(),
           tensors.layer.shape.relu ? after.const_data_ptr<float>() : nullptr, written.const_data_ptr<float>(),
           static_cast<size_t>(before.numel())});
}

}  // namespace

struct TorchForward::Layers {
  c10::Device device;
  Rounding image;
  std::vector<Layer> layers;
};

TorchForward::TorchForward(std::unique_ptr<Layers> layers) : layers_(std::move(layers)) {}

TorchForward::~TorchForward() = default;

absl::StatusOr<std::unique_ptr<TorchForward>> TorchForward::Make(const FloatNetwork& network, c10::Device device) {
  RETURN_IF_ERROR(CheckNetwork(network));
  auto layers = std::make_unique<Layers>(Layers{device, {}, {}});
  RETURN_IF_ERROR(CatchTorchErrors("making LibTorch's weights", [&]() -> absl::Status {
    for (const FloatLayer& layer : network.layers) {
      layers->layers.push_back(ToLayer(layer, device));
    }
    return absl::OkStatus();
  }));
  return std::unique_ptr<TorchForward>(new TorchForward(std::move(layers)));
}

absl::StatusOr<std::unique_ptr<TorchForward>> TorchForward::Make(const FloatNetwork& network,
                                                                 const proto::QuantizedNetwork& record,
                                                                 c10::Device device) {
  ASSIGN_OR_RETURN(std::unique_ptr<TorchForward> forward, Make(network, device));
  const FloatNetwork int8 = WithInt8Weights(network, record);
  forward->layers_->image = {1 / record.input_scale(), record.input_zero_point()};
  RETURN_IF_ERROR(CatchTorchErrors("making LibTorch's weights", [&]() -> absl::Status {
    for (size_t i = 0; i < int8.layers.size(); ++i) {
      Layer& layer = forward->layers_->layers[i];
      const proto::QuantizedLayer& quantized = record.layer(static_cast<int>(i));
      if (layer.shape.HasWeights()) {
        layer.int8_weight = CopyWeight(int8.layers[i], device);
      }
      if (!quantized.writes_sums()) {
        layer.rounding = {1 / quantized.tensor_scale(), quantized.zero_point()};
      }
    }
    return absl::OkStatus();
  }));
  return forward;
}

absl::StatusOr<std::vector<float>> TorchForward::Run(const std::vector<float>& images, size_t count,
                                                     const BatchObserver& observe, const Int8Mask& int8,
                                                     std::optional<size_t> layer) const {
  std::vector<float> logits;
  RETURN_IF_ERROR(CatchTorchErrors("LibTorch's forward pass", [&]() -> absl::Status {
    const at::NoGradGuard no_grad;
    at::Tensor image = ToImages(images, count, layers_->layers.front().shape.In(), layers_->device);
    if (!int8.empty() && int8[0]) {
      image = Round(image, layers_->image);
    }
    const auto show = [&](const LayerTensors& tensors) {
      if (observe && (!layer || *layer == tensors.index)) {
        Observe(tensors, observe);
      }
    };
    const at::Tensor last = Walk(layers_->layers, image, int8, show).cpu().contiguous();
    logits.assign(last.const_data_ptr<float>(), last.const_data_ptr<float>() + last.numel());
    return absl::OkStatus();
  }));
  return logits;
}

absl::StatusOr<std::vector<std::vector<double>>> TorchForward::MeanWeightErrors(const std::vector<float>& images,
                                                                                size_t count) const {
  std::vector<std::vector<double>> errors(layers_->layers.size());
  RETURN_IF_ERROR(CatchTorchErrors("LibTorch's forward pass", [&]() -> absl::Status {
    const at::NoGradGuard no_grad;
    const at::Tensor image = ToImages(images, count, layers_->layers.front().shape.In(), layers_->device);
    Walk(layers_->layers, image, /*int8=*/{}, [&errors](const LayerTensors& tensors) {
      const Layer& layer = tensors.layer;
      if (layer.shape.HasWeights()) {
        const at::Tensor error = at::conv2d(tensors.input, at::sub(layer.int8_weight, layer.weight), /*bias=*/{},
                                            layer.shape.stride, layer.shape.padding);
        const at::Tensor mean = at::mean(error, {0, 2, 3}, /*keepdim=*/false, at::kDouble).cpu().contiguous();
        errors[tensors.index].assign(mean.const_data_ptr<double>(), mean.const_data_ptr<double>() + mean.numel());
      }
    });
    return absl::OkStatus();
  }));
  return errors;
}

}  // namespace lockstep
