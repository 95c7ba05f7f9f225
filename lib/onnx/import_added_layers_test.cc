// Layers that the import adds: identities that copy or rescale, and constants.
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/quantized_record.h"
#include "lib/int8/requantize.h"
#include "lib/onnx/equal_networks_testing.h"
#include "lib/onnx/export_onnx.h"
#include "lib/onnx/import_onnx.h"
#include "lib/onnx/rescale.h"
#include "lib/onnx/small_model_testing.h"
#include "lib/onnx/tensor_values.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Difference;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::Names;
using ::lockstep::testing::SmallModel;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::Tensors;
using ::onnx::TensorProto;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto kNotOurs = absl::StatusCode::kFailedPrecondition;

// Adds a fully connected layer from `input`, (N, features) with parameters `params`, and returns the model.
::onnx::ModelProto Finish(const std::string& input, const std::string& params, int64_t features, SmallModel& model) {
  model.Params("logits", 3.0f, 128);
  model.Node("QLinearMatMul",
             model.Join({model.With(input, params), model.Weights("fc", {features, 10}), model.With("", "logits")}),
             "logits");
  return model.Make("logits");
}

// Returns the imported network, which must also be the same after an export.
IntegerNetwork Imported(const ::onnx::ModelProto& model) {
  const absl::StatusOr<proto::QuantizedNetwork> record = ImportOnnx(model);
  if (!record.ok()) {
    ADD_FAILURE() << record.status();
    return IntegerNetwork();
  }
  IntegerNetwork network = *ToIntegerNetwork(*record);
  const absl::StatusOr<::onnx::ModelProto> exported = ExportOnnx(*record);
  if (!exported.ok()) {
    ADD_FAILURE() << exported.status();
    return network;
  }
  EXPECT_EQ(Difference(network, *ToIntegerNetwork(*ImportOnnx(*exported))), "");
  return network;
}

::onnx::ModelProto Rescaled(const std::function<void(SmallModel&)>& between) {
  SmallModel model;
  model.Convolution("conv", 6);
  model.Params("other", 0.93f, 40);
  model.Node("DequantizeLinear", model.With("conv", "conv"), "real");
  between(model);
  model.Node("QuantizeLinear", model.With("changed", "other"), "rescaled");
  AddInt("axis", 1, model.Node("Flatten", {"rescaled"}, "flat"));
  return Finish("flat", "other", 24, model);
}

TEST(ImportAddedLayersTest, FlattenBetweenTwoScales) {
  const IntegerNetwork network =
      Imported(Rescaled([](SmallModel& model) { AddInt("axis", 1, model.Node("Flatten", {"real"}, "changed")); }));
  ASSERT_THAT(network.layers, SizeIs(3));
  EXPECT_EQ(network.layers[1].shape.name, "rescaled");
  const std::vector<std::vector<int>> tensors = Tensors(network);
  ASSERT_EQ(tensors[1].size(), tensors[2].size());
  for (size_t i = 0; i < tensors[1].size(); ++i) {
    EXPECT_EQ(tensors[2][i], RescaleReference(static_cast<int8_t>(tensors[1][i]), {0.7f, -28}, {0.93f, -88}));
  }
}

TEST(ImportAddedLayersTest, ReluBetweenTwoScales) {
  const IntegerNetwork network = Imported(Rescaled([](SmallModel& model) { model.Node("Relu", {"real"}, "changed"); }));
  ASSERT_THAT(network.layers, SizeIs(3));
  EXPECT_TRUE(network.layers[0].shape.relu);
  const std::vector<std::vector<int>> tensors = Tensors(network);
  for (const int value : tensors[2]) {
    EXPECT_GE(value, -88);
  }
}

TEST(ImportAddedLayersTest, MaxPoolBetweenTwoScales) {
  const auto model = Rescaled([](SmallModel& model) {
    ::onnx::NodeProto& pool = model.Node("MaxPool", {"real"}, "pooled");
    AddInts("kernel_shape", {1, 1}, pool);
    model.Node("Relu", {"pooled"}, "changed");
  });
  const IntegerNetwork network = Imported(model);
  ASSERT_THAT(network.layers, SizeIs(3));
  EXPECT_EQ(network.layers[0].shape.pool, 1u);
}

// Only the type changes: the int8 values stay.
TEST(ImportAddedLayersTest, TheSameScaleNeedsNoLayer) {
  SmallModel model;
  model.Convolution("conv", 6);
  model.Constant(FloatTensor("other.scale", {}, {0.7f}));
  model.Constant(Int8Tensor("other.zero_point", {}, {-28}));
  model.Node("DequantizeLinear", model.With("conv", "conv"), "real");
  model.Node("QuantizeLinear", model.With("real", "other"), "int8");
  AddInt("axis", 1, model.Node("Flatten", {"int8"}, "flat"));
  EXPECT_THAT(Imported(Finish("flat", "other", 24, model)).layers, SizeIs(2));
}

TEST(ImportAddedLayersTest, WeightsOfUint8WithAnyZeroPoint) {
  for (const int zero_point : {0, 100, 128, 255}) {
    SmallModel model;
    model.Params("logits", 40.0f, 128);
    TensorProto weights = Int8Tensor("fc.weight", {10, 3, 32, 32}, std::vector<int8_t>(10 * 3 * 32 * 32));
    weights.set_data_type(TensorProto::UINT8);
    for (size_t i = 0; i < weights.raw_data().size(); ++i) {
      (*weights.mutable_raw_data())[i] = static_cast<char>(i * 31 % 256);
    }
    model.Constant(weights);
    model.Params("fc", 0.003f, static_cast<uint8_t>(zero_point));
    model.Node(
        "QLinearConv",
        model.Join({model.With("quantized_image", "image"), model.With("fc.weight", "fc"), model.With("", "logits")}),
        "logits");
    const IntegerNetwork network = Imported(model.Make("logits"));
    ASSERT_THAT(network.layers, SizeIs(2)) << zero_point;
    EXPECT_EQ(network.layers[0].shape.name, "image.copies");
    const std::vector<std::vector<int>> tensors = Tensors(network);
    const size_t copies = network.layers[0].shape.out_channels / 3;
    EXPECT_EQ(copies, zero_point == 0 || zero_point == 255 ? 3u : 2u);
    for (size_t i = 0; i < tensors[1].size(); ++i) {  // (pixel, copy, channel)
      ASSERT_EQ(tensors[1][i], tensors[0][i / (3 * copies) * 3 + i % 3]);
    }
    for (size_t o = 0; o < 10; ++o) {
      int32_t sum = 0;
      for (size_t pixel = 0; pixel < 1024; ++pixel) {
        for (size_t channel = 0; channel < 3; ++channel) {
          const size_t place = (o * 3 + channel) * 1024 + pixel;
          sum += (static_cast<int>(place * 31 % 256) - zero_point) * (tensors[0][pixel * 3 + channel] + 8);
        }
      }
      EXPECT_EQ(tensors.back()[o], Requantize(sum, network.layers[1].multiplier[0], 0)) << o;
    }
  }
}

// Two layers with large weights over one tensor share its copies.
TEST(ImportAddedLayersTest, CopiesAreMadeOnce) {
  SmallModel model;
  model.Convolution("conv", 4);
  model.Params("a", 1.0f, 128);
  for (const char* const name : {"a", "b"}) {
    const std::string w = std::string(name) + ".weight";
    model.Constant(Int8Tensor(w, {4, 4, 1, 1}, std::vector<int8_t>(16, -128)));
    model.Constant(FloatTensor(w + ".scale", {}, {0.01f}));
    model.Constant(Int8Tensor(w + ".zero_point", {}, {0}));
    model.Node("QLinearConv", model.Join({model.With("conv", "conv"), model.With(w, w), model.With("", "a")}), name);
  }
  model.Params("sum", 2.0f, 128);
  model.Node("QLinearAdd", model.Join({model.With("a", "a"), model.With("b", "a"), model.With("", "sum")}), "sum")
      .set_domain("com.microsoft");
  AddInt("axis", 1, model.Node("Flatten", {"sum"}, "flat"));
  const IntegerNetwork network = Imported(Finish("flat", "sum", 16, model));
  ASSERT_THAT(network.layers, SizeIs(6));
  EXPECT_EQ(network.layers[1].shape.name, "conv.copies");
  EXPECT_EQ(network.layers[2].shape.inputs[0], 2u);
  EXPECT_EQ(network.layers[3].shape.inputs[0], 2u);
}

// Adds a constant of `dims` to the convolution's output, or to (N, 10) if it is `flat`.
::onnx::ModelProto WithConstant(const std::vector<int64_t>& dims, bool flat, bool constant_first, bool qdq) {
  SmallModel model;
  model.Convolution("conv", 4, 130);
  model.Params("sum", 0.8f, 90);
  AddInt("axis", 1, model.Node("Flatten", {"conv"}, "flat"));
  std::string x = "conv", params = "conv";
  if (flat) {
    model.Params("fc1", 0.9f, 100);
    model.Node("QLinearMatMul",
               model.Join({model.With("flat", "conv"), model.Weights("fc1", {16, 4}), model.With("", "fc1")}), "fc1");
    x = params = "fc1";
  }
  TensorProto constant = Int8Tensor("bias_quantized", dims, {5, -7, 100, -128});
  if (dims.empty()) {
    constant = Int8Tensor("bias_quantized", {}, {77});
  }
  constant.set_data_type(TensorProto::UINT8);
  model.Constant(constant);
  model.Params("bias", 0.0625f, 127);
  const Names first = constant_first ? model.With("bias_quantized", "bias") : model.With(x, params);
  const Names second = constant_first ? model.With(x, params) : model.With("bias_quantized", "bias");
  if (qdq) {
    model.Node("DequantizeLinear", first, "first");
    model.Node("DequantizeLinear", second, "second");
    model.Node("Add", {"first", "second"}, "sum.real");
    model.Node("QuantizeLinear", model.With("sum.real", "sum"), "sum");
  } else {
    model.Node("QLinearAdd", model.Join({first, second, model.With("", "sum")}), "sum").set_domain("com.microsoft");
  }
  AddInt("axis", 1, model.Node("Flatten", {"sum"}, "flat_sum"));
  return Finish("flat_sum", "sum", flat ? 4 : 16, model);
}

TEST(ImportAddedLayersTest, AConstantIsAddedAsATensorWouldBe) {
  for (int bits = 0; bits < 16; ++bits) {
    const bool flat = (bits & 1) != 0, first = (bits & 2) != 0, qdq = (bits & 4) != 0, one = (bits & 8) != 0;
    const std::vector<int64_t> dims = one    ? std::vector<int64_t>()
                                      : flat ? std::vector<int64_t>{4}
                                             : std::vector<int64_t>{1, 4, 1, 1};
    const IntegerNetwork network = Imported(WithConstant(dims, flat, first, qdq));
    ASSERT_THAT(network.layers, SizeIs(flat ? 5 : 4)) << bits;
    const size_t constant = flat ? 3 : 2;  // number of the constant's tensor
    EXPECT_EQ(network.layers[constant - 1].shape.name, "bias.constant");
    const std::vector<std::vector<int>> tensors = Tensors(network);
    const std::vector<int> stored = one ? std::vector<int>(4, 77) : std::vector<int>{5, 249, 100, 128};
    const AddFactors factors =
        first ? MakeAddFactors(0.0625f / 0.8f, (flat ? 0.9f : 0.7f) / 0.8f, -1, flat ? -28 : 2, -38)
              : MakeAddFactors((flat ? 0.9f : 0.7f) / 0.8f, 0.0625f / 0.8f, flat ? -28 : 2, -1, -38);
    for (size_t i = 0; i < tensors[constant].size(); ++i) {
      ASSERT_EQ(tensors[constant][i], stored[i % 4] - 128) << bits;
      const int8_t x = static_cast<int8_t>(tensors[constant - 1][i]), c = static_cast<int8_t>(stored[i % 4] - 128);
      ASSERT_EQ(tensors[constant + 1][i], first ? AddInt8(c, x, factors) : AddInt8(x, c, factors)) << bits;
    }
  }
}

TEST(ImportAddedLayersTest, RefusesAConstantForEachPixel) {
  EXPECT_THAT(ImportOnnx(WithConstant({4}, false, false, false)),
              StatusIs(kNotOurs, HasSubstr("one value for each of 4")));
  EXPECT_THAT(ImportOnnx(WithConstant({4, 1}, false, false, true)), StatusIs(kNotOurs, HasSubstr("adds the constant")));
  EXPECT_THAT(ImportOnnx(WithConstant({4, 1}, true, false, true)), StatusIs(kNotOurs, HasSubstr("adds the constant")));
}

}  // namespace
}  // namespace lockstep
