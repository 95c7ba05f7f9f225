#include "benchmarks/onednn_convolution.h"

#ifdef LOCKSTEP_HAVE_ONEDNN
#include <omp.h>

#include <unordered_map>
#include <vector>

#include "benchmarks/onednn_versions.h"
#include "oneapi/dnnl/dnnl.hpp"
#endif

namespace lockstep {

#ifdef LOCKSTEP_HAVE_ONEDNN
namespace {

using Dims = dnnl::memory::dims;
using Type = dnnl::memory::data_type;
using Tag = dnnl::memory::format_tag;

dnnl::convolution_forward::primitive_desc Describe(const IntegerLayer& layer, size_t count, InputSign sign,
                                                   const dnnl::engine& engine) {
  const LayerShape& shape = layer.shape;
  const auto dim = [](size_t value) { return static_cast<dnnl::memory::dim>(value); };
  const dnnl::memory::desc input({dim(count), shape.in_channels, shape.in_height, shape.in_width},
                                 sign == InputSign::kSigned ? Type::s8 : Type::u8, Tag::nhwc);
  const dnnl::memory::desc weights({shape.out_channels, shape.in_channels, shape.kernel, shape.kernel}, Type::s8,
                                   Tag::any);
  const dnnl::memory::desc bias({shape.out_channels}, kOneDnnBiasType, Tag::x);
  const dnnl::memory::desc output({dim(count), shape.out_channels, shape.Out().height, shape.Out().width}, Type::s8,
                                  Tag::nhwc);
  const Dims stride = {shape.stride, shape.stride}, padding = {shape.padding, shape.padding};
  return DescribeOneDnnConvolution(engine, input, weights, bias, output, stride, padding, OneDnnAttributes(layer));
}

class RealOneDnnConvolution : public OneDnnConvolution {
 public:
  RealOneDnnConvolution(const IntegerLayer& layer, size_t count, InputSign sign)
      : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_), bias_values_(OneDnnBiases(layer)),
        scales_(layer.multiplier), description_(Describe(layer, count, sign, engine_)), convolution_(description_),
        input_(description_.src_desc(), engine_, nullptr), weights_(description_.weights_desc(), engine_),
        bias_(description_.bias_desc(), engine_, bias_values_.data()),
        output_(description_.dst_desc(), engine_, nullptr) {
    const LayerShape& shape = layer.shape;
    std::vector<int8_t> values = layer.weight;
    dnnl::memory plain({{shape.out_channels, shape.in_channels, shape.kernel, shape.kernel}, Type::s8, Tag::oihw},
                       engine_, values.data());
    dnnl::reorder(plain, weights_).execute(stream_, plain, weights_);
    stream_.wait();
    arguments_ = {
        {DNNL_ARG_SRC, input_}, {DNNL_ARG_WEIGHTS, weights_}, {DNNL_ARG_BIAS, bias_}, {DNNL_ARG_DST, output_}};
    AddOneDnnScales(engine_, scales_, arguments_);
  }

  void Run(const void* input, int8_t* output) override {
    input_.set_data_handle(const_cast<void*>(input));
    output_.set_data_handle(output);
    convolution_.execute(stream_, arguments_);
    stream_.wait();
  }

  std::string Implementation() const override {
    const dnnl_version_t* version = dnnl_version();
    return std::string(description_.impl_info_str()) + " of " + std::to_string(version->major) + "." +
           std::to_string(version->minor) + "." + std::to_string(version->patch);
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<OneDnnBias> bias_values_;
  std::vector<float> scales_;
  dnnl::convolution_forward::primitive_desc description_;
  dnnl::convolution_forward convolution_;
  dnnl::memory input_, weights_, bias_, output_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

}  // namespace

std::unique_ptr<OneDnnConvolution> MakeOneDnnConvolution(const IntegerLayer& layer, size_t count, InputSign sign) {
  omp_set_num_threads(1);
  return std::make_unique<RealOneDnnConvolution>(layer, count, sign);
}

#else

std::unique_ptr<OneDnnConvolution> MakeOneDnnConvolution(const IntegerLayer&, size_t, InputSign) { return nullptr; }

#endif

}  // namespace lockstep
