#include "lib/onnx/record_builder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/int8/quant_params.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/requantize.h"

namespace lockstep {
namespace {

double Scale(float step) { return 1 / static_cast<double>(step); }

// Fills the fields of the weights. The scales of the whole layer are those of its coarsest channel, whose weights are
// the largest.
void DescribeWeights(const LayerShape& shape, const QuantizedWeights& weights, float input_step,
                     proto::QuantizedLayer& layer) {
  layer.set_weight(std::string(weights.values.begin(), weights.values.end()));
  const float coarsest = *std::max_element(weights.steps.begin(), weights.steps.end());
  layer.set_weight_scale(Scale(coarsest));
  layer.set_accumulator_scale(Scale(input_step) * Scale(coarsest));
  double max_abs = 0;
  for (size_t i = 0; i < weights.values.size(); ++i) {
    const float step = weights.steps[weights.steps.size() == 1 ? 0 : i / shape.Terms()];
    max_abs = std::max(max_abs, std::abs(static_cast<double>(weights.values[i])) * step);
  }
  layer.set_max_abs_weight(max_abs);
  if (weights.steps.size() > 1) {
    for (const float step : weights.steps) {
      layer.add_channel_weight_scale(Scale(step));
    }
  }
}

absl::Status SetMultipliers(const QuantizedWeights& weights, float input_step, float output_step,
                            proto::QuantizedLayer& layer) {
  layer.set_output_scale(Scale(output_step) / layer.accumulator_scale());
  for (const float step : weights.steps) {
    ASSIGN_OR_RETURN(const float multiplier,
                     RequantizeMultiplier(Scale(input_step), Scale(step), Scale(output_step), layer.name()));
    if (weights.steps.size() == 1) {
      layer.set_multiplier(multiplier);
    } else {
      layer.add_channel_multiplier(multiplier);
    }
  }
  return absl::OkStatus();
}

// Checks that the step, and every value computed from it, is finite.
absl::Status CheckStep(float step, absl::string_view what, const std::string& layer) {
  if (!std::isnormal(step) || step < 0 || !std::isnormal(static_cast<float>(Scale(step)))) {
    return absl::FailedPreconditionError(
        absl::StrCat(layer, ": the ", what, " step (ONNX: scale) is ", step, ", expected a positive number"));
  }
  return absl::OkStatus();
}

absl::Status CheckWeights(const LayerShape& shape, const QuantizedWeights& weights) {
  const auto wrong = [&](absl::string_view what, size_t found, size_t wanted) {
    return absl::FailedPreconditionError(absl::StrCat(shape.name, ": ", found, " ", what, ", expected ", wanted));
  };
  if (weights.values.size() != shape.WeightSize()) {
    return wrong("weights", weights.values.size(), shape.WeightSize());
  }
  if (weights.steps.size() != 1 && weights.steps.size() != shape.out_channels) {
    return wrong("weight steps", weights.steps.size(), shape.out_channels);
  }
  if (!weights.bias.empty() && weights.bias.size() != shape.out_channels) {
    return wrong("biases", weights.bias.size(), shape.out_channels);
  }
  for (const float step : weights.steps) {
    RETURN_IF_ERROR(CheckStep(step, "weight", shape.name));
  }
  return absl::OkStatus();
}

}  // namespace

RecordBuilder::RecordBuilder(const std::string& name, TensorParams image, Extent extent)
    : image_extent_(extent), params_({image}) {
  record_.set_name(name);
  record_.set_input_scale(Scale(image.step));
  record_.set_input_step(image.step);
  record_.set_input_zero_point(image.zero_point);
}

absl::StatusOr<proto::QuantizedLayer*> RecordBuilder::Add(LayerShape shape, TensorParams output) {
  for (const uint32_t input : shape.inputs) {
    RETURN_IF_ERROR(CheckStep(params_[input].step, "input", shape.name));
  }
  RETURN_IF_ERROR(CheckStep(output.step, "output", shape.name));
  shapes_.push_back(std::move(shape));
  params_.push_back(output);
  RETURN_IF_ERROR(CheckShapes(shapes_));
  proto::QuantizedLayer& layer = *record_.add_layer();
  DescribeShape(shapes_.back(), layer);
  layer.set_zero_point(output.zero_point);
  layer.set_tensor_scale(Scale(output.step));
  return &layer;
}

absl::StatusOr<uint32_t> RecordBuilder::AddWeighted(LayerShape shape, const QuantizedWeights& weights,
                                                    TensorParams output) {
  RETURN_IF_ERROR(CheckWeights(shape, weights));
  const float input_step = params_[shape.inputs[0]].step;
  ASSIGN_OR_RETURN(proto::QuantizedLayer* const layer, Add(std::move(shape), output));
  DescribeWeights(shapes_.back(), weights, input_step, *layer);
  RETURN_IF_ERROR(SetMultipliers(weights, input_step, output.step, *layer));
  const uint32_t tensor = static_cast<uint32_t>(shapes_.size());
  SetBias(tensor, weights.bias);
  return tensor;
}

absl::StatusOr<uint32_t> RecordBuilder::AddSums(LayerShape shape, const QuantizedWeights& weights) {
  RETURN_IF_ERROR(CheckWeights(shape, weights));
  const float input_step = params_[shape.inputs[0]].step;
  ASSIGN_OR_RETURN(proto::QuantizedLayer* const layer, Add(std::move(shape), TensorParams()));
  DescribeWeights(shapes_.back(), weights, input_step, *layer);
  layer->set_writes_sums(true);
  layer->set_tensor_scale(0);
  const uint32_t tensor = static_cast<uint32_t>(shapes_.size());
  SetBias(tensor, weights.bias);
  return tensor;
}

absl::StatusOr<uint32_t> RecordBuilder::AddWithoutWeights(LayerShape shape, TensorParams output) {
  ASSIGN_OR_RETURN(proto::QuantizedLayer* const layer, Add(std::move(shape), output));
  const LayerShape& added = shapes_.back();
  if (added.kind == LayerKind::kGlobalAveragePool) {
    ASSIGN_OR_RETURN(const float multiplier, PoolMultiplier(Scale(params_[added.inputs[0]].step), Scale(output.step),
                                                            added.in_height * added.in_width, added.name));
    layer->set_multiplier(multiplier);
  } else {
    for (const uint32_t input : added.inputs) {
      ASSIGN_OR_RETURN(const float factor, AddFactor(Scale(params_[input].step), Scale(output.step), added.name));
      layer->add_add_factor(factor);
    }
  }
  return static_cast<uint32_t>(shapes_.size());
}

void RecordBuilder::SetRelu(uint32_t tensor, bool relu) {
  shapes_[tensor - 1].relu = relu;
  record_.mutable_layer(static_cast<int>(tensor - 1))->set_relu(relu);
}

absl::Status RecordBuilder::SetPool(uint32_t tensor, uint32_t side) {
  shapes_[tensor - 1].pool = side;
  record_.mutable_layer(static_cast<int>(tensor - 1))->set_max_pool(side);
  return CheckShapes(shapes_);
}

void RecordBuilder::SetBias(uint32_t tensor, const std::vector<int32_t>& bias) {
  record_.mutable_layer(static_cast<int>(tensor - 1))->mutable_bias()->Assign(bias.begin(), bias.end());
  record_.set_has_bias(record_.has_bias() || !bias.empty());
}

absl::StatusOr<proto::QuantizedNetwork> RecordBuilder::Finish() {
  for (size_t i = 0; i < shapes_.size(); ++i) {
    proto::QuantizedLayer& layer = *record_.mutable_layer(static_cast<int>(i));
    if (!shapes_[i].HasWeights()) {
      continue;
    }
    const int64_t bound =
        AccumulatorBound({layer.weight().begin(), layer.weight().end()}, {layer.bias().begin(), layer.bias().end()},
                         shapes_[i].out_channels, params_[shapes_[i].inputs[0]].zero_point);
    RETURN_IF_ERROR(CheckAccumulatorBound(bound, layer.name()));
    layer.set_accumulator_bound(bound);
  }
  return std::move(record_);
}

}  // namespace lockstep
