#include "benchmarks/int8_gpu_layer.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/int8/network_plan.h"
#include "lib/int8_cpu/cpu_network.h"
#include "lib/int8_cuda/device_layout.h"

namespace lockstep {
namespace {

constexpr size_t kPeriod = 1'000'003;
constexpr size_t kAddendOffset = 500'000;  // offset, so that an addend differs from the input

const std::vector<int8_t>& Period() {
  static const auto* const values = [] {
    std::mt19937 random(1);
    auto* made = new std::vector<int8_t>(2 * kPeriod);
    for (size_t i = 0; i < made->size(); ++i) {
      (*made)[i] = i < kPeriod ? static_cast<int8_t>(random() & 0x7F) : (*made)[i - kPeriod];
    }
    return made;
  }();
  return *values;
}

absl::StatusOr<DeviceBuffer> MakeFrom(size_t first, size_t size, cudaStream_t stream) {
  ASSIGN_OR_RETURN(DeviceBuffer buffer, DeviceBuffer::Make(size));
  if (size > 0) {
    RETURN_IF_ERROR(buffer.Fill(&Period()[first], std::min(size, kPeriod), stream));
  }
  return buffer;
}

// Returns one image as stored on the device, without pad channels.
std::vector<int8_t> OneImage(const Extent& extent, uint32_t image, size_t first) {
  const size_t pixels = size_t{extent.height} * extent.width, padded = PaddedChannels(extent.channels);
  std::vector<int8_t> values;
  for (size_t pixel = image * pixels; pixel < (image + 1) * pixels; ++pixel) {
    for (size_t channel = 0; channel < extent.channels; ++channel) {
      values.push_back(InputValue(first + pixel * padded + channel));
    }
  }
  return values;
}

IntegerLayer ByItself(IntegerLayer layer) {
  layer.shape.inputs = {0};
  layer.shape.pool = 0;
  return layer;
}

// Returns the properties that make two layers the same to a GPU.
auto Likeness(const LayerShape& shape, bool adds) {
  return std::make_tuple(shape.in_height, shape.in_width, shape.in_channels, shape.out_channels, shape.kernel,
                         shape.stride, shape.padding, shape.relu, adds);
}

}  // namespace

int8_t InputValue(size_t i) { return Period()[i % kPeriod]; }

const int8_t* InputValues(size_t first) { return &Period()[first % kPeriod]; }

absl::StatusOr<DeviceBuffer> MakeInputs(size_t size, cudaStream_t stream) { return MakeFrom(0, size, stream); }

std::string Fnv1a(const void* bytes, size_t size) {
  uint64_t hash = 14695981039346656037u;
  const auto* const begin = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ begin[i]) * 1099511628211u;
  }
  return absl::StrFormat("%016x", hash);
}

Int8GpuLayer::Int8GpuLayer(std::string name, IntegerLayer layer, int32_t input_zero_point)
    : name_(std::move(name)), layer_(ByItself(std::move(layer))), input_zero_point_(input_zero_point) {}

Int8GpuLayer::Int8GpuLayer(std::string name, IntegerLayer layer, int32_t input_zero_point, IntegerLayer addition,
                           bool own_is_first)
    : name_(std::move(name)), layer_(ByItself(std::move(layer))), input_zero_point_(input_zero_point),
      addition_(std::move(addition)), own_is_first_(own_is_first) {}

ConvolutionTask Int8GpuLayer::Task() const {
  return {layer_, input_zero_point_, adds() ? &*addition_ : nullptr, own_is_first_};
}

absl::Status Int8GpuLayer::OnDevice::Launch(cudaStream_t stream) const {
  return convolution->Launch(static_cast<const int8_t*>(input.data()), static_cast<const int8_t*>(addend.data()),
                             output.data(), images, stream);
}

absl::StatusOr<Int8GpuLayer::OnDevice> Int8GpuLayer::Place(std::unique_ptr<CudaConvolution> convolution,
                                                           uint32_t images, cudaStream_t stream) const {
  const Extent in = shape().In(), out = shape().Out();
  OnDevice placed = {std::move(convolution), {}, {}, {}, images};
  RETURN_IF_ERROR(placed.convolution->Tune(images, adds(), stream));
  ASSIGN_OR_RETURN(placed.input, MakeInputs(images * PaddedBytes(in), stream));
  ASSIGN_OR_RETURN(placed.addend, MakeFrom(kAddendOffset, adds() ? images * PaddedBytes(out) : 0, stream));
  const size_t output = images * (layer_.WritesSums() ? out.Size() * sizeof(int32_t) : PaddedBytes(out));
  ASSIGN_OR_RETURN(placed.output, DeviceBuffer::Make(output));
  RETURN_IF_ERROR(CudaStatus(cudaMemsetAsync(placed.output.data(), 0x80, output, stream), "clear a layer's output"));
  return placed;
}

absl::StatusOr<std::vector<uint8_t>> Int8GpuLayer::ReadOutput(const OnDevice& placed, cudaStream_t stream) const {
  const Extent out = shape().Out();
  const size_t line = out.channels * ValueBytes();
  const size_t pitch = layer_.WritesSums() ? line : PaddedChannels(out.channels);
  std::vector<uint8_t> values(placed.images * out.Size() * ValueBytes());
  RETURN_IF_ERROR(CudaStatus(cudaMemcpy2DAsync(values.data(), line, placed.output.data(), pitch, line,
                                               values.size() / line, cudaMemcpyDeviceToHost, stream),
                             "copy a layer's output"));
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream), "run a layer"));
  return values;
}

absl::StatusOr<std::vector<uint8_t>> Int8GpuLayer::Expected(uint32_t image) const {
  const IntegerNetwork network = {name_, input_zero_point_, {layer_}};
  ASSIGN_OR_RETURN(const std::unique_ptr<CpuNetwork> cpu, CpuNetwork::Make(network, BestIsa()));
  std::vector<int32_t> results(shape().Out().Size());
  cpu->Run(OneImage(shape().In(), image, 0).data(), 1, results.data());
  const std::vector<int8_t> addend = OneImage(shape().Out(), image, kAddendOffset);
  std::vector<uint8_t> bytes(results.size() * ValueBytes());
  for (size_t i = 0; i < results.size(); ++i) {
    if (adds()) {
      const int8_t own = static_cast<int8_t>(results[i]);
      const int8_t sum =
          own_is_first_ ? AddInt8(own, addend[i], addition_->add) : AddInt8(addend[i], own, addition_->add);
      results[i] = addition_->shape.relu ? std::max<int32_t>(sum, addition_->zero_point) : sum;
    }
    std::memcpy(&bytes[i * ValueBytes()], &results[i], ValueBytes());  // little-endian: the low byte comes first
  }
  return bytes;
}

absl::Status Int8GpuLayer::CheckOutput(const std::vector<uint8_t>& output, uint32_t images) const {
  const size_t size = output.size() / images;
  for (const uint32_t image : std::set<uint32_t>{0, std::min(1u, images - 1), images - 1}) {
    if (expected_.count(image) == 0) {
      ASSIGN_OR_RETURN(expected_[image], Expected(image));
    }
    const std::vector<uint8_t>& expected = expected_.at(image);
    const auto differs = std::mismatch(expected.begin(), expected.end(), output.begin() + image * size).first;
    if (differs != expected.end()) {
      return absl::AbortedError(absl::StrCat(name_, ": image ", image, " is not the CPU's, from value ",
                                             (differs - expected.begin()) / ValueBytes(), " of ",
                                             expected.size() / ValueBytes(), " on"));
    }
  }
  return absl::OkStatus();
}

std::vector<std::unique_ptr<Int8GpuLayer>> DistinctLayers(const std::string& name, const IntegerNetwork& network) {
  std::vector<std::unique_ptr<Int8GpuLayer>> distinct;
  std::set<decltype(Likeness({}, false))> seen;
  for (const PlanStep& step : MakeNetworkPlan(network.Shapes(), Additions::kFused).steps) {
    const IntegerLayer& layer = network.layers[step.layer];
    if (!layer.shape.HasWeights()) {
      continue;
    }
    const int32_t zero_point = network.ZeroPoint(layer.shape.inputs[0]);
    const std::string of_network = absl::StrCat(name, "/", layer.shape.name);
    if (seen.insert(Likeness(layer.shape, false)).second) {
      distinct.push_back(std::make_unique<Int8GpuLayer>(of_network, layer, zero_point));
    }
    if (step.add.has_value() && seen.insert(Likeness(layer.shape, true)).second) {
      const IntegerLayer& addition = network.layers[*step.add];
      const bool own_is_first = addition.shape.inputs[0] == step.layer + 1;
      distinct.push_back(
          std::make_unique<Int8GpuLayer>(of_network + "+add", layer, zero_point, addition, own_is_first));
    }
  }
  return distinct;
}

}  // namespace lockstep
