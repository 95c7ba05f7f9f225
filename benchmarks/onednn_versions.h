// One interface for oneDNN 2 and 3, whose int8 convolutions with one scale per output channel differ:
//
//   version 2: output = post_ops(scale * (products + bias)), the bias as int32, the scales in the attributes
//   version 3: output = post_ops(scale * products + bias), the bias as float, the scales an argument of the execution
#ifndef LOCKSTEP_BENCHMARKS_ONEDNN_VERSIONS_H_
#define LOCKSTEP_BENCHMARKS_ONEDNN_VERSIONS_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lib/int8/integer_reference.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace lockstep {

#if DNNL_VERSION_MAJOR >= 3
using OneDnnBias = float;
inline constexpr dnnl::memory::data_type kOneDnnBiasType = dnnl::memory::data_type::f32;
#else
using OneDnnBias = int32_t;
inline constexpr dnnl::memory::data_type kOneDnnBiasType = dnnl::memory::data_type::s32;
#endif

// Returns the bias of each output channel in the unit of the installed version.
inline std::vector<OneDnnBias> OneDnnBiases(const IntegerLayer& layer) {
  std::vector<OneDnnBias> biases(layer.bias.begin(), layer.bias.end());
#if DNNL_VERSION_MAJOR >= 3
  for (size_t channel = 0; channel < biases.size(); ++channel) {
    biases[channel] *= layer.multiplier[channel];
  }
#endif
  return biases;
}

// Returns the attributes of a layer: the scales of its output channels and its ReLU.
inline dnnl::primitive_attr OneDnnAttributes(const IntegerLayer& layer) {
  dnnl::primitive_attr attributes;
  dnnl::post_ops relu;
#if DNNL_VERSION_MAJOR >= 3
  attributes.set_scales_mask(DNNL_ARG_WEIGHTS, /*mask=*/1 << 0);
  relu.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
#else
  attributes.set_output_scales(/*mask=*/1 << 1, layer.multiplier);
  relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
#endif
  if (layer.shape.relu) {
    attributes.set_post_ops(relu);
  }
  return attributes;
}

// Returns the description of a direct convolution in inference.
inline dnnl::convolution_forward::primitive_desc DescribeOneDnnConvolution(
    const dnnl::engine& engine, const dnnl::memory::desc& input, const dnnl::memory::desc& weights,
    const dnnl::memory::desc& bias, const dnnl::memory::desc& output, const dnnl::memory::dims& stride,
    const dnnl::memory::dims& padding, const dnnl::primitive_attr& attributes) {
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  return {engine, kind, algorithm, input, weights, bias, output, stride, padding, padding, attributes};
#else
  return {dnnl::convolution_forward::desc(kind, algorithm, input, weights, bias, output, stride, padding, padding),
          attributes, engine};
#endif
}

// Adds the scales to the arguments of an execution, if the installed version takes them there. `scales` must outlive the
// execution.
inline void AddOneDnnScales(const dnnl::engine& engine, std::vector<float>& scales,
                            std::unordered_map<int, dnnl::memory>& arguments) {
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::memory::desc description({static_cast<dnnl::memory::dim>(scales.size())}, dnnl::memory::data_type::f32,
                                       dnnl::memory::format_tag::x);
  arguments.emplace(DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, dnnl::memory(description, engine, scales.data()));
#else
  (void)engine, (void)scales, (void)arguments;
#endif
}

}  // namespace lockstep

#endif  // LOCKSTEP_BENCHMARKS_ONEDNN_VERSIONS_H_
