// Import of models in the QDQ form.
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/network.h"
#include "lib/int8/quantized_record.h"
#include "lib/onnx/equal_networks_testing.h"
#include "lib/onnx/export_onnx.h"
#include "lib/onnx/import_onnx.h"
#include "lib/onnx/qdq_form_testing.h"
#include "lib/onnx/random_record_testing.h"
#include "lib/onnx/small_model_testing.h"
#include "lib/onnx/tensor_values.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::AsQdq;
using ::lockstep::testing::Difference;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::Names;
using ::lockstep::testing::RandomRecord;
using ::lockstep::testing::RandomRecordOptions;
using ::lockstep::testing::SmallLayers;
using ::lockstep::testing::SmallModel;
using ::lockstep::testing::StatusIs;
using ::onnx::ModelProto;
using ::testing::HasSubstr;

constexpr auto kNotOurs = absl::StatusCode::kFailedPrecondition;

TEST(ImportQdqTest, BothFormsAreTheSameNetwork) {
  for (int bits = 0; bits < 32; ++bits) {
    const RandomRecordOptions options = {(bits & 1) != 0, (bits & 2) != 0,  (bits & 4) != 0,
                                         (bits & 8) != 0, (bits & 16) != 0, static_cast<uint32_t>(bits)};
    for (const std::vector<LayerShape>& shapes : {SmallLayers(), LeNet5Layers()}) {
      proto::QuantizedNetwork record = RandomRecord(options).Make("net", shapes).value();
      absl::StatusOr<proto::QuantizedNetwork> imported = ImportOnnx(AsQdq(ExportOnnx(record).value()));
      ASSERT_THAT(imported, IsOk());
      EXPECT_EQ(Difference(*ToIntegerNetwork(record), *ToIntegerNetwork(*imported)), "") << bits;
      EXPECT_EQ(imported->onnx_form(), options.int8_logits ? kQdqForm : kMixedForm);
      imported->clear_onnx_form();
      EXPECT_EQ(record.SerializeAsString(), imported->SerializeAsString()) << bits;
    }
  }
}

// One convolution and one fully connected layer, in either form.
struct Forms {
  bool limits = false;        // ReLU in float32, between convolution and QuantizeLinear
  bool pools = false;         // max-pooling, in float32 in the QDQ form
  bool adds_bias = false;     // MatMul and Add instead of Gemm
  bool float_bias = false;    // bias in float32 instead of int32
  bool float_logits = false;  // no QuantizeLinear of the logits
};

Names Biases(const Forms& forms, float scale, SmallModel& model) {
  const std::vector<int32_t> bias = {100, -200, 300, -400, 500, 600, -700, 800, -900, 1000};
  std::vector<float> real(bias.begin(), bias.end());
  for (float& value : real) {
    value *= scale;
  }
  if (forms.float_bias) {
    model.Constant(FloatTensor("fc.bias", {10}, real));
    return {"fc.bias"};
  }
  model.Constant(Int32Tensor("fc.bias", {10}, bias));
  model.Constant(FloatTensor("fc.bias.scale", {1}, {scale}));
  model.Node("DequantizeLinear", {"fc.bias", "fc.bias.scale"}, "fc.bias.real");
  return {"fc.bias.real"};
}

ModelProto Qdq(const Forms& forms) {
  SmallModel model;
  model.Params("conv", 0.7f, 100);
  model.Params("logits", 2.0f, 128);
  model.Node("DequantizeLinear", model.With("quantized_image", "image"), "image.real");
  model.Node("DequantizeLinear", model.Weights("conv", {8, 3, 3, 3}), "conv.weight.real");
  AddInts("strides", {8, 8}, model.Node("Conv", {"image.real", "conv.weight.real"}, "conv.real"));
  std::string x = "conv.real";
  if (forms.limits) {
    model.Node("Relu", {x}, "conv.relu");
    x = "conv.relu";
  }
  if (forms.pools) {
    ::onnx::NodeProto& pool = model.Node("MaxPool", {x}, "conv.pool");
    AddInts("kernel_shape", {2, 2}, pool);
    AddInts("strides", {2, 2}, pool);
    x = "conv.pool";
  }
  model.Node("QuantizeLinear", model.With(x, "conv"), "conv.quantized");
  model.Node("DequantizeLinear", model.With("conv.quantized", "conv"), "conv.out");
  AddInt("axis", 1, model.Node("Flatten", {"conv.out"}, "flat"));
  const int64_t features = forms.pools ? 32 : 128;
  model.Node("DequantizeLinear", model.Weights("fc", {features, 10}), "fc.weight.real");
  const Names bias = Biases(forms, 0.7f * 0.01f, model);
  if (forms.adds_bias) {
    model.Node("MatMul", {"flat", "fc.weight.real"}, "fc.product");
    model.Node("Add", {bias[0], "fc.product"}, "fc.real");
  } else {
    model.Node("Gemm", {"flat", "fc.weight.real", bias[0]}, "fc.real");
  }
  if (forms.float_logits) {
    return model.Make("fc.real");
  }
  model.Node("QuantizeLinear", model.With("fc.real", "logits"), "logits");
  return model.Make("logits");
}

ModelProto QOperator(const Forms& forms) {
  SmallModel model;
  model.Params("conv", 0.7f, 100);
  model.Params("logits", 2.0f, 128);
  AddInts("strides", {8, 8},
          model.Node("QLinearConv",
                     model.Join({model.With("quantized_image", "image"), model.Weights("conv", {8, 3, 3, 3}),
                                 model.With("", "conv")}),
                     "conv"));
  std::string x = "conv";
  if (forms.limits) {
    model.Node("Clip", {x, "conv.zero_point"}, "conv.relu");
    x = "conv.relu";
  }
  if (forms.pools) {
    ::onnx::NodeProto& pool = model.Node("MaxPool", {x}, "conv.pool");
    AddInts("kernel_shape", {2, 2}, pool);
    AddInts("strides", {2, 2}, pool);
    x = "conv.pool";
  }
  AddInt("axis", 1, model.Node("Flatten", {x}, "flat"));
  const Names weights = model.Weights("fc", {forms.pools ? 32 : 128, 10});
  model.Constant(Int32Tensor("fc.bias", {10}, {100, -200, 300, -400, 500, 600, -700, 800, -900, 1000}));
  Names inputs = model.Join({model.With("flat", "conv"), weights, {"fc.bias"}});
  if (!forms.float_logits) {
    inputs = model.Join({inputs, model.With("", "logits")});
  }
  model.Node("QGemm", inputs, "fc").set_domain("com.microsoft");
  return model.Make("fc");
}

TEST(ImportQdqTest, LayersInFloat32AreThoseOfTheOperatorForm) {
  for (int bits = 0; bits < 32; ++bits) {
    const Forms forms = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
    const absl::StatusOr<proto::QuantizedNetwork> qdq = ImportOnnx(Qdq(forms)), ours = ImportOnnx(QOperator(forms));
    ASSERT_THAT(qdq, IsOk()) << bits;
    ASSERT_THAT(ours, IsOk()) << bits;
    EXPECT_EQ(Difference(*ToIntegerNetwork(*ours), *ToIntegerNetwork(*qdq)), "") << bits;
    EXPECT_EQ(qdq->onnx_form(), kQdqForm);
    EXPECT_EQ(ours->onnx_form(), kQOperatorForm);
  }
}

absl::Status Changed(const std::function<void(::onnx::GraphProto&)>& change) {
  ModelProto model = Qdq({});
  change(*model.mutable_graph());
  return ImportOnnx(model).status();
}

::onnx::NodeProto& Node(const std::string& name, ::onnx::GraphProto& graph) {
  for (::onnx::NodeProto& node : *graph.mutable_node()) {
    if (node.name() == name) {
      return node;
    }
  }
  ADD_FAILURE() << "no node " << name;
  return *graph.mutable_node(0);
}

TEST(ImportQdqTest, RefusesWhatStaysInFloat32) {
  EXPECT_THAT(Changed([](::onnx::GraphProto& graph) { Node("conv.real", graph).set_input(0, "image"); }),
              StatusIs(kNotOurs, HasSubstr("node 'conv.real' (Conv): computes in float32: no DequantizeLinear writes "
                                           "its input 'image'")));
  EXPECT_THAT(Changed([](::onnx::GraphProto& graph) { Node("conv.real", graph).set_input(1, "conv.weight"); }),
              StatusIs(kNotOurs, HasSubstr("quantize the weights, too")));
  EXPECT_THAT(Changed([](::onnx::GraphProto& graph) { Node("flat", graph).set_input(0, "conv.real"); }),
              StatusIs(kNotOurs, HasSubstr("node 'fc.real' (Gemm): computes in float32")));
  EXPECT_THAT(Changed([](::onnx::GraphProto& graph) { graph.mutable_output(0)->set_name("conv.real"); }),
              StatusIs(kNotOurs, HasSubstr("'conv.real' is 8 x 4 x 4, expected one value for each class")));
  EXPECT_THAT(Changed([](::onnx::GraphProto& graph) { AddInt("transA", 1, Node("fc.real", graph)); }),
              StatusIs(kNotOurs, HasSubstr("alpha, beta and transA must be 1, 1 and 0")));
}

// A clip in float32 is a ReLU, or changes nothing, or is refused.
TEST(ImportQdqTest, LimitsInFloat32) {
  const auto clipped = [](float low, float high) {
    SmallModel model;
    model.Params("logits", 0.5f, 28);  // values from -14 to 113.5
    model.Node("DequantizeLinear", model.With("quantized_image", "image"), "image.real");
    model.Node("DequantizeLinear", model.Weights("conv", {10, 3, 32, 32}), "conv.weight.real");
    model.Node("Conv", {"image.real", "conv.weight.real"}, "conv.real");
    model.Constant(FloatTensor("low", {}, {low}));
    model.Constant(FloatTensor("high", {}, {high}));
    model.Node("Clip", {"conv.real", "low", "high"}, "clipped");
    model.Node("QuantizeLinear", model.With("clipped", "logits"), "logits");
    return ImportOnnx(model.Make("logits"));
  };
  EXPECT_TRUE(clipped(0, 114)->layer(0).relu());
  EXPECT_TRUE(clipped(0, INFINITY)->layer(0).relu());
  EXPECT_FALSE(clipped(-14, 113.5f)->layer(0).relu());
  EXPECT_FALSE(clipped(std::nanf(""), 113.3f)->layer(0).relu());  // rounds to 113.5
  const auto refused = StatusIs(kNotOurs, HasSubstr("expected a lower end at the zero point"));
  EXPECT_THAT(clipped(0, 113.25f), refused);
  EXPECT_THAT(clipped(-1, 114), refused);
  EXPECT_THAT(clipped(0, 6), refused);
}

}  // namespace
}  // namespace lockstep
