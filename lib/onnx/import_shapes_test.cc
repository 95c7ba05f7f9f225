// Nodes that compute no layer: shapes, no operations, the softmax of the logits; and models that are refused.
#include <functional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/quantized_record.h"
#include "lib/onnx/equal_networks_testing.h"
#include "lib/onnx/import_onnx.h"
#include "lib/onnx/small_model_testing.h"
#include "lib/onnx/tensor_values.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Difference;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallModel;
using ::lockstep::testing::StatusIs;
using ::onnx::TensorProto;
using ::testing::HasSubstr;

constexpr auto kNotOurs = absl::StatusCode::kFailedPrecondition;

// Returns a network of a convolution and a fully connected layer. `flatten` adds nodes that make "flat" of "conv",
// `end` those after the quantized "logits"; it returns the name of the output.
::onnx::ModelProto Network(const std::function<void(SmallModel&)>& flatten,
                           const std::function<std::string(SmallModel&)>& end) {
  SmallModel model;
  model.Convolution("conv", 6);
  flatten(model);
  model.Params("logits", 3.0f, 128);
  model.Node("QLinearMatMul",
             model.Join({model.With("flat", "conv"), model.Weights("fc", {24, 10}), model.With("", "logits")}),
             "logits");
  return model.Make(end(model));
}

void Flatten(SmallModel& model) { AddInt("axis", 1, model.Node("Flatten", {"conv"}, "flat")); }
std::string Logits(SmallModel& /*model*/) { return "logits"; }

// Expects the same network as with Flatten and without nodes after the logits.
void ExpectTheSame(const ::onnx::ModelProto& model) {
  const absl::StatusOr<proto::QuantizedNetwork> plain = ImportOnnx(Network(Flatten, Logits)), other = ImportOnnx(model);
  ASSERT_THAT(plain, IsOk());
  ASSERT_THAT(other, IsOk());
  EXPECT_EQ(Difference(*ToIntegerNetwork(*plain), *ToIntegerNetwork(*other)), "");
}

// x.view(x.size(0), -1), and with all sizes computed.
void View(SmallModel& model, bool all_sizes) {
  model.Constant(Int32Tensor("0", {}, {0}));
  model.Constant(Int32Tensor("[0]", {1}, {0}));
  model.Constant(Int32Tensor("[-1]", {1}, {-1}));
  model.Constant(Int32Tensor("[1]", {1}, {1}));
  model.Constant(Int32Tensor("[2]", {1}, {2}));
  model.Constant(Int32Tensor("[4]", {1}, {4}));
  model.Node("DequantizeLinear", model.With("conv", "conv"), "real");
  model.Node("Shape", {"real"}, "shape");
  AddInt("axis", 0, model.Node("Gather", {"shape", "0"}, "n"));
  model.Node("Unsqueeze", {"n", "[0]"}, "[n]");
  std::string rest = "[-1]";
  if (all_sizes) {
    model.Node("Slice", {"shape", "[1]", "[2]"}, "[c]");
    AddInt("to", TensorProto::INT64, model.Node("Cast", {"[4]"}, "hw"));
    model.Node("Mul", {"[c]", "hw"}, "[chw]");
    rest = "[chw]";
  }
  AddInt("axis", 0, model.Node("Concat", {"[n]", rest}, "sizes"));
  model.Node("Reshape", {"conv", "sizes"}, "flat");
}

TEST(ImportShapesTest, ComputedShapesAreFlattening) {
  ExpectTheSame(Network([](SmallModel& model) { View(model, false); }, Logits));
  ExpectTheSame(Network([](SmallModel& model) { View(model, true); }, Logits));
}

TEST(ImportShapesTest, RefusesOtherShapes) {
  const auto reshaped = [](const std::vector<int32_t>& sizes) {
    return ImportOnnx(Network(
        [&](SmallModel& model) {
          model.Constant(Int32Tensor("sizes", {static_cast<int64_t>(sizes.size())}, sizes));
          model.Node("Reshape", {"conv", "sizes"}, "flat");
        },
        Logits));
  };
  EXPECT_THAT(reshaped({0, -1}), IsOk());
  EXPECT_THAT(reshaped({-1, 24}), IsOk());
  EXPECT_THAT(reshaped({1, 24}), IsOk());
  const auto refused = StatusIs(kNotOurs, HasSubstr("expected a shape of (N, all features)"));
  EXPECT_THAT(reshaped({-1, -1}), refused);
  EXPECT_THAT(reshaped({-1, 12}), refused);
  EXPECT_THAT(reshaped({-2, 24}), refused);
  EXPECT_THAT(reshaped({0, 6, 4}), refused);
  EXPECT_THAT(ImportOnnx(Network(
                  [](SmallModel& model) {
                    model.Node("DequantizeLinear", model.With("conv", "conv"), "real");
                    model.Node("Mul", {"real", "real"}, "flat");
                  },
                  Logits)),
              StatusIs(kNotOurs, HasSubstr("node 'flat' (Mul): not an operator that Lockstep runs")));
}

TEST(ImportShapesTest, NoOperationsPass) {
  ExpectTheSame(Network(
      [](SmallModel& model) {
        model.Node("Identity", {"conv"}, "same");
        model.Node("DequantizeLinear", model.With("same", "conv"), "real");
        model.Node("Dropout", {"real"}, "kept");
        AddInt("to", TensorProto::FLOAT, model.Node("Cast", {"kept"}, "cast"));
        AddInt("axis", 1, model.Node("Flatten", {"cast"}, "flat_real"));
        model.Node("QuantizeLinear", model.With("flat_real", "conv"), "flat");
      },
      [](SmallModel& model) {
        model.Node("Identity", {"logits"}, "out");
        return "out";
      }));
  EXPECT_THAT(
      ImportOnnx(Network(
          [](SmallModel& model) { AddInt("to", TensorProto::FLOAT, model.Node("Cast", {"conv"}, "flat")); }, Logits)),
      StatusIs(kNotOurs, HasSubstr("node 'flat' (Cast): converts to type 1")));
}

TEST(ImportShapesTest, TheSoftmaxOfTheLogitsIsLeftOut) {
  const auto quantized = [](SmallModel& model) {
    model.Params("p", 1.0f / 256, 0);
    ::onnx::NodeProto& node =
        model.Node("QLinearSoftmax", model.Join({model.With("logits", "logits"), model.With("", "p")}), "softmax");
    node.set_domain("com.microsoft");
    AddInt("axis", 1, node);
    model.Node("DequantizeLinear", model.With("softmax", "p"), "out");
    return "out";
  };
  ExpectTheSame(Network(Flatten, quantized));
  for (const char* const op : {"Softmax", "LogSoftmax"}) {
    ExpectTheSame(Network(Flatten, [&](SmallModel& model) {
      model.Params("p", 1.0f / 256, 0);
      model.Node("DequantizeLinear", model.With("logits", "logits"), "real");
      AddInt("axis", -1, model.Node(op, {"real"}, "softmax"));
      model.Node("QuantizeLinear", model.With("softmax", "p"), "quantized");
      model.Node("DequantizeLinear", model.With("quantized", "p"), "out");
      return "out";
    }));
  }
}

TEST(ImportShapesTest, ASoftmaxInsideTheNetworkIsRefused) {
  EXPECT_THAT(ImportOnnx(Network(
                  [](SmallModel& model) {
                    model.Node("DequantizeLinear", model.With("conv", "conv"), "real");
                    AddInt("axis", 1, model.Node("Softmax", {"real"}, "softmax"));
                    model.Node("QuantizeLinear", model.With("softmax", "conv"), "quantized");
                    AddInt("axis", 1, model.Node("Flatten", {"quantized"}, "flat"));
                  },
                  Logits)),
              StatusIs(kNotOurs, HasSubstr("node 'logits' (QLinearMatMul): reads a tensor that is not quantized")));
  EXPECT_THAT(ImportOnnx(Network(Flatten,
                                 [](SmallModel& model) {
                                   model.Node("DequantizeLinear", model.With("logits", "logits"), "real");
                                   AddInt("axis", 0, model.Node("Softmax", {"real"}, "softmax"));
                                   return "softmax";
                                 })),
              StatusIs(kNotOurs, HasSubstr("over the classes")));
}

TEST(ImportShapesTest, RefusalsNameTheRemedy) {
  const auto changed = [](const std::function<void(::onnx::GraphProto&)>& change) {
    ::onnx::ModelProto model = Network(Flatten, Logits);
    change(*model.mutable_graph());
    return ImportOnnx(model);
  };
  EXPECT_THAT(
      changed([](::onnx::GraphProto& graph) { graph.mutable_node(2)->set_op_type("DynamicQuantizeLinear"); }),
      StatusIs(kNotOurs, HasSubstr("dynamic quantization, whose scales depend on each image; Lockstep runs fixed "
                                   "scales: quantize the model by onnxruntime.quantization.quantize_static")));
  EXPECT_THAT(changed([](::onnx::GraphProto& graph) {
                graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::UINT8);
              }),
              StatusIs(kNotOurs, HasSubstr("export the model without the preprocessing of pixels")));
  EXPECT_THAT(changed([](::onnx::GraphProto& graph) {
                for (TensorProto& tensor : *graph.mutable_initializer()) {
                  tensor.set_data_location(TensorProto::EXTERNAL);
                }
              }),
              StatusIs(kNotOurs, HasSubstr("save the model with its weights in one file")));
}

}  // namespace
}  // namespace lockstep
