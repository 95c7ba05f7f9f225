// Records of int8 networks with random weights and scales, chosen so that activations fill their range and some
// saturate. Test-only.
#ifndef LOCKSTEP_LIB_ONNX_RANDOM_RECORD_TESTING_H_
#define LOCKSTEP_LIB_ONNX_RANDOM_RECORD_TESTING_H_

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/status_macros.h"
#include "lib/int8/network.h"
#include "lib/onnx/record_builder.h"

namespace lockstep::testing {

struct RandomRecordOptions {
  bool zero_points = false;  // -128 after ReLU, any value elsewhere; false: 0 everywhere
  bool per_channel = false;
  bool bias = false;
  bool int8_logits = false;
  // Makes every step a power of two, so that many sums lie exactly between two integers. Such sums detect wrong
  // rounding of ties, and a multiplier that is off by one float.
  bool powers_of_two = false;
  uint32_t seed = 1;
};

class RandomRecord {
 public:
  explicit RandomRecord(const RandomRecordOptions& options) : options_(options), random_(options.seed) {}

  absl::StatusOr<proto::QuantizedNetwork> Make(const std::string& name, std::vector<LayerShape> shapes) {
    RecordBuilder builder(name, {NextStep(0.03f), ZeroPoint()}, shapes.front().In());
    const std::string last = shapes.back().name;
    for (LayerShape& shape : shapes) {
      const TensorParams input = builder.Params(shape.inputs[0]);
      const int32_t zero_point = shape.relu && options_.zero_points ? -128 : ZeroPoint();
      if (shape.HasWeights()) {
        const QuantizedWeights weights = Weights(shape);
        const bool sums = shape.name == last && !options_.int8_logits;
        // A sum of n products of uniform values has a deviation of about 73 * 60 * sqrt(n); it becomes 40 of the
        // output's integers.
        const float spread = 73.0f * 60.0f * std::sqrt(static_cast<float>(shape.Terms())) / 40.0f;
        const float step = NextStep(input.step * weights.steps[0] * spread);
        RETURN_IF_ERROR((sums ? builder.AddSums(std::move(shape), weights)
                              : builder.AddWeighted(std::move(shape), weights, {step, zero_point}))
                            .status());
        continue;
      }
      const TensorParams output = {NextStep(input.step * (shape.kind == LayerKind::kAdd ? 1.3f : 0.7f)), zero_point};
      RETURN_IF_ERROR(builder.AddWithoutWeights(std::move(shape), output).status());
    }
    ASSIGN_OR_RETURN(proto::QuantizedNetwork record, builder.Finish());
    for (const float mean : {0.4914f, 0.4822f, 0.4465f}) {
      record.add_mean(mean);
    }
    for (const float std : {0.2470f, 0.2435f, 0.2616f}) {
      record.add_std(std);
    }
    record.set_checkpoint_sha256(std::string(64, 'a'));
    return record;
  }

 private:
  float Uniform(float low, float high) { return low + (high - low) * static_cast<float>(random_()) / 4294967296.0f; }
  int32_t Integer(int32_t low, int32_t high) {
    return low + static_cast<int32_t>(random_() % static_cast<uint32_t>(high - low + 1));
  }

  float NextStep(float about) {
    return options_.powers_of_two ? std::exp2(std::nearbyint(std::log2(about))) : about * Uniform(0.8f, 1.25f);
  }

  int32_t ZeroPoint() { return options_.zero_points ? Integer(-20, 20) : 0; }

  QuantizedWeights Weights(const LayerShape& shape) {
    QuantizedWeights weights;
    weights.values.resize(shape.WeightSize());
    for (int8_t& value : weights.values) {
      value = static_cast<int8_t>(Integer(-127, 127));
    }
    const float about = NextStep(0.004f);
    weights.steps.assign(options_.per_channel ? shape.out_channels : 1, about);
    for (size_t i = 1; i < weights.steps.size(); ++i) {
      weights.steps[i] = NextStep(about);
    }
    if (options_.bias) {
      const int32_t bound = static_cast<int32_t>(2000 * std::sqrt(static_cast<double>(shape.Terms())));
      for (uint32_t o = 0; o < shape.out_channels; ++o) {
        weights.bias.push_back(Integer(-bound, bound));
      }
    }
    return weights;
  }

  const RandomRecordOptions options_;
  std::mt19937 random_;
};

// Returns a minimal network with every kind of layer: two convolutions, an addition, pools, two fully connected layers.
// 800 weights.
inline std::vector<LayerShape> SmallLayers() {
  std::vector<LayerShape> layers = {ConvShape("conv1", 0, {32, 32, 3}, 4, 3)};
  layers[0].stride = 2;
  layers[0].padding = 1;
  layers[0].relu = true;
  layers[0].pool = 2;
  layers.push_back(ConvShape("block.conv1", 1, {8, 8, 4}, 4, 3));
  layers[1].padding = 1;
  layers.push_back(AddShape("block.add", 2, 1, {8, 8, 4}));
  layers[2].relu = true;
  layers[2].pool = 4;
  layers.push_back(LinearShape("fc1", 3, {2, 2, 4}, 12));
  layers[3].relu = true;
  layers.push_back(ConvShape("block.conv2", 3, {2, 2, 4}, 12, 1));
  layers.push_back(GlobalAveragePoolShape("avgpool", 5, {2, 2, 12}));
  layers.push_back(AddShape("add", 4, 6, {1, 1, 12}));
  layers.push_back(LinearShape("fc2", 7, {1, 1, 12}, 10));
  return layers;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_ONNX_RANDOM_RECORD_TESTING_H_
