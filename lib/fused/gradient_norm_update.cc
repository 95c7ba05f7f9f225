#include "lib/fused/gradient_norm_update.h"

#include <cstdint>
#include <type_traits>

#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/fused/resnet_update.h"
#include "lib/kernels/layer_factors.h"
#include "lib/kernels/layer_squares.h"

namespace lockstep {
namespace {

// Returns the layers of `weights`: the units in order, and the fully connected layer.
LayerTable WeightLayers(const ResNetUnits& net) {
  LayerTable table;
  for (const ConvolutionUnit& unit : net.units) {
    table.begin[table.layers++] = unit.weight;
  }
  table.begin[table.layers++] = net.linear_weight;
  table.begin[table.layers] = net.weight_count;
  return table;
}

LayerTable OneLayer(size_t count) {
  LayerTable table;
  table.layers = 1;
  table.begin[1] = count;
  return table;
}

GradientPointer From(const GradientPointer& pointer, ptrdiff_t elements) {
  return std::visit([&](const auto* at) { return GradientPointer(at + elements); }, pointer);
}

absl::Status Squares(const LayerTable& table, const GradientPointer& values, double* squares, cudaStream_t stream) {
  return std::visit(
      [&](const auto* at) {
        LayerSquaresInput<std::remove_cv_t<std::remove_pointer_t<decltype(at)>>> input;
        input.table = table;
        input.values = at;
        input.squares = squares;
        return CudaStatus(LayerSquares(input, stream), "the gradients' norms");
      },
      values);
}

}  // namespace

void GradientNormUpdateWorkspace::TakeAll(const ResNetStepOptions& options) {
  if (NeedsGradientNorms(options)) {
    arena_.Take(size_t{kMaxLayers} * kSquareParts, gradient_squares);
    arena_.Take(size_t{kMaxLayers} * kSquareParts, weight_squares);
    arena_.Take(size_t{kMaxLayers} * 2, factors);
  }
}

size_t GradientNormUpdateWorkspace::PredictBytes(const ResNetStepOptions& options) {
  GradientNormUpdateWorkspace workspace;
  workspace.TakeAll(options);
  return workspace.bytes();
}

absl::Status GradientNormUpdateWorkspace::Init(const ResNetStepOptions& options) {
  TakeAll(options);
  return arena_.bytes() > 0 ? arena_.Allocate() : absl::OkStatus();
}

template <typename T>
absl::Status GradientNormUpdate<T>::Take(const StepGradients& gradients) {
  const bool weights = gradients.ready.array == GradientArray::kWeights;
  (weights ? weights_ : batch_norms_) = From(gradients.gradient, -static_cast<ptrdiff_t>(gradients.ready.range.begin));
  scale_ = gradients.scale;
  return absl::OkStatus();
}

template <typename T>
absl::Status GradientNormUpdate<T>::Finish() {
  RETURN_IF_ERROR(TakeSquares());
  RETURN_IF_ERROR(MakeFactors());
  return UpdateLayers();
}

template <typename T>
absl::Status GradientNormUpdate<T>::TakeSquares() const {
  const cudaStream_t stream = batch_.streams.tail();
  const LayerTable layers = WeightLayers(batch_.net());
  RETURN_IF_ERROR(Squares(layers, weights_, workspace_.gradient_squares, stream));
  RETURN_IF_ERROR(Squares(OneLayer(batch_.net().batch_norm_count()), batch_norms_,
                          workspace_.gradient_squares + size_t{layers.layers} * kSquareParts, stream));
  return batch_.options.lars == 0 ? absl::OkStatus()
                                  : Squares(layers, batch_.buffers.weights, workspace_.weight_squares, stream);
}

template <typename T>
absl::Status GradientNormUpdate<T>::MakeFactors() const {
  LayerFactorsInput input;
  input.local_layers = WeightLayers(batch_.net()).layers;
  input.layers = input.local_layers + 1;
  input.gradient_squares = workspace_.gradient_squares;
  input.weight_squares = workspace_.weight_squares;
  input.gradient_scale = scale_;
  input.clip_norm = batch_.options.clip_norm;
  input.lars = batch_.options.lars;
  input.weight_decay = batch_.options.weight_decay;
  input.factors = workspace_.factors;
  return CudaStatus(LayerFactors(input, batch_.streams.tail()), "the layers' factors");
}

template <typename T>
absl::Status GradientNormUpdate<T>::UpdateLayers() const {
  const LayerTable layers = WeightLayers(batch_.net());
  StepGradients of_layer;
  of_layer.ready.stream = batch_.streams.tail();
  of_layer.scale = scale_;
  for (uint32_t layer = 0; layer < layers.layers; ++layer) {
    of_layer.ready.range = {layers.begin[layer], layers.begin[layer + 1]};
    of_layer.gradient = From(weights_, static_cast<ptrdiff_t>(layers.begin[layer]));
    of_layer.factors = workspace_.factors + size_t{2} * layer;
    RETURN_IF_ERROR(UpdateRange(batch_, of_layer));
  }
  of_layer.ready.array = GradientArray::kBatchNorms;
  of_layer.ready.range = {0, batch_.net().batch_norm_count()};
  of_layer.gradient = batch_norms_;
  of_layer.factors = workspace_.factors + size_t{2} * layers.layers;
  return UpdateRange(batch_, of_layer);
}

template class GradientNormUpdate<float>;
template class GradientNormUpdate<__nv_bfloat16>;

}  // namespace lockstep
