#include "lib/onnx/export_onnx.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/network.h"
#include "lib/onnx/random_record_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomRecord;
using ::lockstep::testing::RandomRecordOptions;
using ::lockstep::testing::SmallLayers;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

proto::QuantizedNetwork Record(const RandomRecordOptions& options = RandomRecordOptions(),
                               std::vector<LayerShape> shapes = LeNet5Layers()) {
  return RandomRecord(options).Make("lenet5", std::move(shapes)).value();
}

std::vector<std::string> Operators(const ::onnx::ModelProto& model) {
  std::vector<std::string> operators;
  for (const ::onnx::NodeProto& node : model.graph().node()) {
    operators.push_back(node.op_type());
  }
  return operators;
}

const ::onnx::TensorProto& Constant(const ::onnx::ModelProto& model, const std::string& name) {
  for (const ::onnx::TensorProto& tensor : model.graph().initializer()) {
    if (tensor.name() == name) {
      return tensor;
    }
  }
  ADD_FAILURE() << "no constant " << name;
  return model.graph().initializer(0);
}

TEST(ExportOnnxTest, LeNet5IsItsLayers) {
  const absl::StatusOr<::onnx::ModelProto> model = ExportOnnx(Record());
  ASSERT_THAT(model, IsOk());
  EXPECT_THAT(Operators(*model),
              ElementsAre("QuantizeLinear", "QLinearConv", "Clip", "MaxPool", "QLinearConv", "Clip", "MaxPool",
                          "QLinearConv", "Clip", "QLinearConv", "Clip", "Flatten", "MatMulInteger"));
  EXPECT_EQ(model->ir_version(), 8);
  EXPECT_EQ(model->opset_import(0).version(), 13);
  EXPECT_EQ(model->opset_import(1).domain(), "com.microsoft");
  ASSERT_EQ(model->graph().output_size(), 1);
  const ::onnx::TypeProto::Tensor& logits = model->graph().output(0).type().tensor_type();
  EXPECT_EQ(logits.elem_type(), ::onnx::TensorProto::INT32);
  EXPECT_EQ(logits.shape().dim(0).dim_param(), "N");
  EXPECT_EQ(logits.shape().dim(1).dim_value(), 10);
  EXPECT_THAT(Constant(*model, "fc1.weight").dims(), ElementsAre(120, 16, 5, 5));
  EXPECT_THAT(Constant(*model, "fc3.weight_transposed").dims(), ElementsAre(84, 10));
}

TEST(ExportOnnxTest, TheClampIsTheReluWhereTheZeroPointIsTheLeast) {
  RandomRecordOptions options;
  options.zero_points = true;
  options.bias = true;
  const absl::StatusOr<::onnx::ModelProto> model = ExportOnnx(Record(options));
  ASSERT_THAT(model, IsOk());
  EXPECT_THAT(Operators(*model), ElementsAre("QuantizeLinear", "QLinearConv", "MaxPool", "QLinearConv", "MaxPool",
                                             "QLinearConv", "QLinearConv", "Flatten", "MatMulInteger", "Add"));
  EXPECT_EQ(Constant(*model, "conv1.zero_point").raw_data(), std::string(1, '\0'));
}

TEST(ExportOnnxTest, Int8LogitsAreUint8) {
  RandomRecordOptions options;
  options.int8_logits = true;
  const absl::StatusOr<::onnx::ModelProto> model = ExportOnnx(Record(options, SmallLayers()));
  ASSERT_THAT(model, IsOk());
  EXPECT_THAT(Operators(*model), ElementsAre("QuantizeLinear", "QLinearConv", "Clip", "MaxPool", "QLinearConv",
                                             "QLinearAdd", "Clip", "MaxPool", "QLinearConv", "Clip", "QLinearConv",
                                             "QLinearGlobalAveragePool", "QLinearAdd", "QLinearConv", "Flatten"));
  EXPECT_EQ(model->graph().output(0).type().tensor_type().elem_type(), ::onnx::TensorProto::UINT8);
}

TEST(ExportOnnxTest, EachLayerCanBeAnOutput) {
  const absl::StatusOr<::onnx::ModelProto> model = ExportOnnx(Record(), {.all_tensors = true});
  ASSERT_THAT(model, IsOk());
  std::vector<std::string> names;
  for (const ::onnx::ValueInfoProto& output : model->graph().output()) {
    names.push_back(output.name());
  }
  EXPECT_THAT(names, ElementsAre("logits", "image_quantized", "conv1", "conv2", "fc1", "fc2"));
}

// ONNX readers reject a file in which a name is written twice, or read before it is written.
TEST(ExportOnnxTest, NodesReadWhatIsWrittenBeforeThem) {
  RandomRecordOptions options;
  options.bias = true;
  const absl::StatusOr<::onnx::ModelProto> model = ExportOnnx(Record(options, ResNet18Layers()));
  ASSERT_THAT(model, IsOk());
  std::set<std::string> names = {"image"};
  for (const ::onnx::TensorProto& tensor : model->graph().initializer()) {
    EXPECT_TRUE(names.insert(tensor.name()).second) << tensor.name();
  }
  std::set<std::string> unread = names;
  for (const ::onnx::NodeProto& node : model->graph().node()) {
    for (const std::string& input : node.input()) {
      EXPECT_EQ(names.count(input), 1u) << input;
      unread.erase(input);
    }
    EXPECT_TRUE(names.insert(node.output(0)).second) << node.output(0);
  }
  EXPECT_EQ(names.count("layer4.1.conv2"), 1u);
  EXPECT_TRUE(unread.empty()) << *unread.begin();
}

TEST(ExportOnnxTest, TheSameRecordGivesTheSameFile) {
  EXPECT_EQ(ExportOnnx(Record())->SerializeAsString(), ExportOnnx(Record())->SerializeAsString());
}

TEST(ExportOnnxTest, RefusesAMultiplierThatIsNotItsScales) {
  proto::QuantizedNetwork record = Record();
  record.mutable_layer(1)->set_multiplier(std::nextafter(record.layer(1).multiplier(), 1.0f));
  EXPECT_THAT(ExportOnnx(record), StatusIs(absl::StatusCode::kFailedPrecondition,
                                           HasSubstr("ONNX export: conv2: its scales give the multiplier")));

  proto::QuantizedNetwork factor = Record(RandomRecordOptions(), SmallLayers());
  factor.mutable_layer(2)->set_add_factor(1, std::nextafter(factor.layer(2).add_factor(1), 9.0f));
  EXPECT_THAT(ExportOnnx(factor), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("block.add: its scales")));

  proto::QuantizedNetwork pool = Record(RandomRecordOptions(), SmallLayers());
  pool.mutable_layer(5)->set_multiplier(std::nextafter(pool.layer(5).multiplier(), 9.0f));
  EXPECT_THAT(ExportOnnx(pool), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("avgpool: its scales")));
}

TEST(ExportOnnxTest, RefusesARecordOfVersionOne) {
  proto::QuantizedNetwork record = Record();
  record.set_input_step(0);
  EXPECT_THAT(ExportOnnx(record), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("of version 1")));
}

TEST(ExportOnnxTest, RefusesTwoTensorsOfOneName) {
  for (const char* name : {"conv1", "image", "logits", "conv1.weight"}) {
    proto::QuantizedNetwork record = Record();
    record.mutable_layer(2)->set_name(name);
    EXPECT_THAT(ExportOnnx(record), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("would be named")));
  }
}

TEST(ExportOnnxTest, RefusesLogitsThatAreMoreThanOneForEachClass) {
  EXPECT_THAT(
      ExportOnnx(Record({false, false, false, /*int8_logits=*/true}, {ConvShape("conv1", 0, {32, 32, 3}, 10, 5)})),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv1: it is the last layer")));
}

TEST(ExportOnnxTest, RefusesSumsOfAKernelThatDoesNotCoverItsInput) {
  LayerShape conv = ConvShape("conv1", 0, {32, 32, 3}, 10, 32);
  conv.padding = 1;
  conv.stride = 32;
  EXPECT_THAT(ExportOnnx(Record({}, {conv})),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("conv1: it writes sums")));
  conv.padding = 0;
  EXPECT_THAT(ExportOnnx(Record({}, {conv})), IsOk());
}

TEST(ExportOnnxTest, RefusesABrokenRecord) {
  proto::QuantizedNetwork record = Record();
  record.mutable_layer(0)->mutable_weight()->pop_back();
  EXPECT_THAT(ExportOnnx(record), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("conv1")));
}

}  // namespace
}  // namespace lockstep
