#include "lib/int8_cuda/cuda_network.h"

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/int8/integer_network_check.h"
#include "lib/int8_cuda/device_layout.h"
#include "lib/int8_cuda/epilogue_tables.h"
#include "lib/int8_cuda/make_convolution.h"
#include "lib/int8_cuda/tensor_layers.h"

namespace lockstep {
namespace {

constexpr size_t kMaxPixels = size_t{1} << 31;  // limit for a tensor of all images: kernels count pixels in 32 bits

absl::Status CheckImages(const IntegerNetwork& network, uint32_t max_images) {
  if (max_images == 0) {
    return absl::InvalidArgumentError("expected 1 or more images per call, found 0");
  }
  for (const IntegerLayer& layer : network.layers) {
    const LayerShape& shape = layer.shape;
    const size_t pixels =
        std::max(size_t{shape.in_height} * shape.in_width, size_t{shape.Out().height} * shape.Out().width);
    if (pixels * max_images > kMaxPixels) {
      return absl::InvalidArgumentError(absl::StrCat(layer.shape.name, ": ", max_images, " images of ", pixels,
                                                     " pixels are above ", kMaxPixels, "; give fewer images per call"));
    }
  }
  return absl::OkStatus();
}

AveragePoolFactors MakeAveragePoolFactors(const IntegerLayer& layer, int32_t input_zero_point) {
  const float zero_point = static_cast<float>(layer.zero_point);
  return {layer.multiplier[0], input_zero_point, zero_point, layer.shape.relu ? 0.0f : kInt8Min - zero_point,
          kInt8Max - zero_point};
}

}  // namespace

CudaNetwork::CudaNetwork(const IntegerNetwork& network, GpuIsa isa, uint32_t max_images)
    : network_(network), shapes_(network.Shapes()), isa_(isa), max_images_(max_images),
      fused_(MakeNetworkPlan(shapes_, Additions::kFused)), unfused_(MakeNetworkPlan(shapes_, Additions::kSeparate)) {}

absl::StatusOr<std::unique_ptr<CudaNetwork>> CudaNetwork::Make(const IntegerNetwork& network, GpuIsa isa,
                                                               uint32_t max_images) {
  RETURN_IF_ERROR(CheckIntegerNetwork(network));
  RETURN_IF_ERROR(CheckImages(network, max_images));
  RETURN_IF_ERROR(CheckGpuIsa(isa));
  std::unique_ptr<CudaNetwork> made = absl::WrapUnique(new CudaNetwork(network, isa, max_images));
  RETURN_IF_ERROR(made->MakeLayers());
  RETURN_IF_ERROR(made->MakeMemory());
  return made;
}

absl::Status CudaNetwork::MakeLayers() {
  convolutions_.resize(network_.layers.size());
  for (const PlanStep& step : fused_.steps) {
    const IntegerLayer& layer = network_.layers[step.layer];
    if (!layer.shape.HasWeights()) {
      continue;
    }
    ConvolutionTask task = {.layer = layer,
                            .input_zero_point = network_.ZeroPoint(layer.shape.inputs[0]),
                            .addition = nullptr,
                            .own_is_first = true};
    if (step.add.has_value()) {
      task.addition = &network_.layers[*step.add];
      task.own_is_first = task.addition->shape.inputs[0] == step.layer + 1;
    }
    ASSIGN_OR_RETURN(convolutions_[step.layer], MakeCudaConvolution(task, isa_));
  }
  return absl::OkStatus();
}

absl::Status CudaNetwork::MakeMemory() {
  ASSIGN_OR_RETURN(memory_, NetworkMemory::Make(shapes_, fused_, max_images_));
  ASSIGN_OR_RETURN(images_, DeviceBuffer::Make(shapes_[0].In().Size() * max_images_));
  ASSIGN_OR_RETURN(logits_, DeviceBuffer::Make(LogitsPerImage() * max_images_ * sizeof(int32_t)));
  cudaStream_t stream = nullptr;
  RETURN_IF_ERROR(CudaStatus(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream"));
  stream_.reset(stream);
  return absl::OkStatus();
}

// Launches a step without its max-pooling.
absl::Status CudaNetwork::LaunchLayer(const PlanStep& step, const NetworkMemory& memory, uint32_t count, void* output,
                                      cudaStream_t stream) const {
  const IntegerLayer& layer = network_.layers[step.layer];
  const LayerShape& shape = layer.shape;
  const int8_t* const input = memory.At(shape.inputs[0]);
  int8_t* const values = static_cast<int8_t*>(output);
  if (shape.HasWeights()) {
    const int8_t* addend = nullptr;
    if (step.add.has_value()) {
      const std::vector<uint32_t>& inputs = shapes_[*step.add].inputs;
      addend = memory.At(inputs[inputs[0] == step.layer + 1 ? 1 : 0]);
    }
    return convolutions_[step.layer]->Launch(input, addend, output, count, stream);
  }
  if (shape.kind == LayerKind::kAdd) {
    return CudaStatus(
        LaunchAddTensors(input, memory.At(shape.inputs[1]), MakeAdditionFactors(layer, OwnOperand::kFirst),
                         PaddedBytes(shape.Out()) * count, values, stream),
        absl::StrCat("launch layer ", shape.name));
  }
  const AveragePoolFactors factors = MakeAveragePoolFactors(layer, network_.ZeroPoint(shape.inputs[0]));
  return CudaStatus(LaunchAveragePool(shape.In(), factors, input, count, values, stream),
                    absl::StrCat("launch layer ", shape.name));
}

absl::Status CudaNetwork::LaunchStep(const PlanStep& step, const NetworkMemory& memory, uint32_t count, int32_t* logits,
                                     cudaStream_t stream) const {
  const IntegerLayer& layer = network_.layers[step.layer];
  if (layer.WritesSums()) {
    return LaunchLayer(step, memory, count, logits, stream);
  }
  int8_t* const output = memory.At(step.output);
  if (layer.shape.pool == 0) {
    return LaunchLayer(step, memory, count, output, stream);
  }
  RETURN_IF_ERROR(LaunchLayer(step, memory, count, memory.Scratch(), stream));
  return CudaStatus(LaunchMaxPool(layer.shape, memory.Scratch(), count, output, stream),
                    absl::StrCat("launch the max-pooling of layer ", layer.shape.name));
}

absl::Status CudaNetwork::LaunchInt8Logits(const NetworkMemory& memory, uint32_t count, int32_t* logits,
                                           cudaStream_t stream) const {
  const uint32_t last = static_cast<uint32_t>(shapes_.size());
  return CudaStatus(LaunchReadLogits(memory.At(last), TensorExtent(shapes_, last), count, logits, stream),
                    "launch the reading of logits");
}

absl::Status CudaNetwork::Tune(uint32_t count) {
  if (!tuned_.insert(count).second) {
    return absl::OkStatus();
  }
  for (const PlanStep& step : fused_.steps) {
    if (convolutions_[step.layer] != nullptr) {
      RETURN_IF_ERROR(convolutions_[step.layer]->Tune(count, step.add.has_value(), stream_.get()));
    }
  }
  return absl::OkStatus();
}

absl::Status CudaNetwork::LaunchAll(const Call& call) const {
  const auto [pixels, table, count, logits] = call;
  const Extent in = shapes_[0].In();
  if (pixels == nullptr) {
    RETURN_IF_ERROR(CudaStatus(
        LaunchPadChannels(static_cast<const int8_t*>(images_.data()), in, count, memory_->At(0), stream_.get()),
        "launch the images' layout"));
  } else {
    RETURN_IF_ERROR(CudaStatus(LaunchQuantizePixels(pixels, table, in, count, memory_->At(0), stream_.get()),
                               "launch the quantization of pixels"));
  }
  for (const PlanStep& step : fused_.steps) {
    RETURN_IF_ERROR(LaunchStep(step, *memory_, count, logits, stream_.get()));
  }
  return network_.HasSumLogits() ? absl::OkStatus() : LaunchInt8Logits(*memory_, count, logits, stream_.get());
}

absl::StatusOr<cudaGraphExec_t> CudaNetwork::GraphFor(const Call& call) {
  constexpr size_t kMaxGraphs = 64;
  const auto found = graphs_.find(call);
  if (found != graphs_.end()) {
    return found->second.get();
  }
  if (graphs_.size() == kMaxGraphs) {
    graphs_.clear();
  }
  RETURN_IF_ERROR(Tune(std::get<uint32_t>(call)));
  ASSIGN_OR_RETURN(CapturedGraph graph, CaptureGraph(stream_.get(), [&] { return LaunchAll(call); }));
  return graphs_.emplace(call, std::move(graph)).first->second.get();
}

absl::Status CudaNetwork::RunOnDevice(const uint8_t* pixels, const int8_t* table, uint32_t count, int32_t* logits,
                                      cudaStream_t stream) {
  if (count > max_images_) {
    return absl::InvalidArgumentError(absl::StrCat("expected at most ", max_images_, " images, got ", count));
  }
  if (count == 0) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const cudaGraphExec_t graph, GraphFor({pixels, table, count, logits}));
  return CudaStatus(cudaGraphLaunch(graph, stream), "launch a network");
}

// `count` must be at most max_images.
absl::Status CudaNetwork::RunBlock(const int8_t* images, uint32_t count, int32_t* logits) {
  int32_t* const on_device = static_cast<int32_t*>(logits_.data());
  ASSIGN_OR_RETURN(const cudaGraphExec_t graph, GraphFor({nullptr, nullptr, count, on_device}));
  RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(images_.data(), images, count * shapes_[0].In().Size(), cudaMemcpyHostToDevice, stream_.get()),
      "copy images"));
  RETURN_IF_ERROR(CudaStatus(cudaGraphLaunch(graph, stream_.get()), "launch a network"));
  RETURN_IF_ERROR(CudaStatus(cudaMemcpyAsync(logits, on_device, count * LogitsPerImage() * sizeof(int32_t),
                                             cudaMemcpyDeviceToHost, stream_.get()),
                             "copy logits"));
  return CudaStatus(cudaStreamSynchronize(stream_.get()), "run a network");
}

absl::StatusOr<std::vector<int8_t>> CudaNetwork::ReadTensor(const NetworkMemory& memory, uint32_t tensor,
                                                            uint32_t count) const {
  const Extent extent = TensorExtent(shapes_, tensor);
  std::vector<int8_t> padded(PaddedBytes(extent) * count);
  RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(padded.data(), memory.At(tensor), padded.size(), cudaMemcpyDeviceToHost, stream_.get()),
      "copy a layer's tensor"));
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream_.get()), "run a layer"));
  std::vector<int8_t> values(extent.Size() * count);
  const size_t channels = PaddedChannels(extent.channels);
  for (size_t pixel = 0; pixel * channels < padded.size(); ++pixel) {
    std::copy_n(padded.begin() + pixel * channels, extent.channels, values.begin() + pixel * extent.channels);
  }
  return values;
}

absl::Status CudaNetwork::RunObserved(const int8_t* images, uint32_t count, int32_t* logits, const Observer& observe) {
  const Extent in = shapes_[0].In();
  const size_t logits_bytes = count * LogitsPerImage() * sizeof(int32_t);
  ASSIGN_OR_RETURN(const NetworkMemory memory, NetworkMemory::Make(shapes_, unfused_, count));
  ASSIGN_OR_RETURN(const DeviceBuffer unpadded, DeviceBuffer::Make(count * in.Size()));
  ASSIGN_OR_RETURN(const DeviceBuffer device_logits, DeviceBuffer::Make(logits_bytes));
  int8_t* const on_device = static_cast<int8_t*>(unpadded.data());
  int32_t* const results = static_cast<int32_t*>(device_logits.data());
  RETURN_IF_ERROR(CudaStatus(
      cudaMemcpyAsync(on_device, images, count * in.Size(), cudaMemcpyHostToDevice, stream_.get()), "copy images"));
  RETURN_IF_ERROR(
      CudaStatus(LaunchPadChannels(on_device, in, count, memory.At(0), stream_.get()), "launch the images' layout"));
  for (const PlanStep& step : unfused_.steps) {
    RETURN_IF_ERROR(LaunchStep(step, memory, count, results, stream_.get()));
    if (!network_.layers[step.layer].WritesSums()) {
      ASSIGN_OR_RETURN(const std::vector<int8_t> values, ReadTensor(memory, step.output, count));
      observe(step.layer, values.data(), values.size());
    }
  }
  if (!network_.HasSumLogits()) {
    RETURN_IF_ERROR(LaunchInt8Logits(memory, count, results, stream_.get()));
  }
  RETURN_IF_ERROR(
      CudaStatus(cudaMemcpyAsync(logits, results, logits_bytes, cudaMemcpyDeviceToHost, stream_.get()), "copy logits"));
  return CudaStatus(cudaStreamSynchronize(stream_.get()), "run a network");
}

absl::Status CudaNetwork::Run(const int8_t* images, size_t count, int32_t* logits, const Observer& observe) {
  if (observe && count > 0) {
    RETURN_IF_ERROR(CheckImages(network_, static_cast<uint32_t>(std::min<size_t>(count, UINT32_MAX))));
    return RunObserved(images, static_cast<uint32_t>(count), logits, observe);
  }
  for (size_t at = 0; at < count; at += max_images_) {
    const uint32_t block = static_cast<uint32_t>(std::min<size_t>(max_images_, count - at));
    RETURN_IF_ERROR(RunBlock(images + at * shapes_[0].In().Size(), block, logits + at * LogitsPerImage()));
  }
  return absl::OkStatus();
}

}  // namespace lockstep
