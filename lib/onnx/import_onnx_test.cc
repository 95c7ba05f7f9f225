#include "lib/onnx/import_onnx.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/int8/network.h"
#include "lib/int8/quantized_record.h"
#include "lib/onnx/equal_networks_testing.h"
#include "lib/onnx/export_onnx.h"
#include "lib/onnx/random_record_testing.h"
#include "lib/onnx/tensor_values.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::Difference;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RandomRecord;
using ::lockstep::testing::RandomRecordOptions;
using ::lockstep::testing::SmallLayers;
using ::lockstep::testing::StatusIs;
using ::onnx::ModelProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::testing::_;
using ::testing::HasSubstr;

constexpr auto kNotOurs = absl::StatusCode::kFailedPrecondition;
constexpr auto kBroken = absl::StatusCode::kDataLoss;

proto::QuantizedNetwork Record(const RandomRecordOptions& options = RandomRecordOptions()) {
  return RandomRecord(options).Make("small", SmallLayers()).value();
}

ModelProto Model(const RandomRecordOptions& options = RandomRecordOptions()) {
  return ExportOnnx(Record(options)).value();
}

NodeProto& Node(ModelProto& model, const std::string& name) {
  for (NodeProto& node : *model.mutable_graph()->mutable_node()) {
    if (node.name() == name) {
      return node;
    }
  }
  ADD_FAILURE() << "no node " << name;
  return *model.mutable_graph()->mutable_node(0);
}

TensorProto& Constant(ModelProto& model, const std::string& name) {
  for (TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.name() == name) {
      return tensor;
    }
  }
  ADD_FAILURE() << "no constant " << name;
  return *model.mutable_graph()->mutable_initializer(0);
}

void AddInts(const std::string& name, const std::vector<int64_t>& values, NodeProto& node) {
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(::onnx::AttributeProto::INTS);
  attribute.mutable_ints()->Assign(values.begin(), values.end());
}

void SetInts(const std::string& name, const std::vector<int64_t>& values, NodeProto& node) {
  for (::onnx::AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.name() == name) {
      attribute.mutable_ints()->Assign(values.begin(), values.end());
      return;
    }
  }
  AddInts(name, values, node);
}

// Returns the status of importing the small model after `change`.
absl::Status Changed(const std::function<void(ModelProto&)>& change) {
  ModelProto model = Model();
  change(model);
  return ImportOnnx(model).status();
}

TEST(ImportOnnxTest, WhatWasExportedIsTheSameNetwork) {
  for (int bits = 0; bits < 32; ++bits) {
    const RandomRecordOptions options = {(bits & 1) != 0, (bits & 2) != 0,  (bits & 4) != 0,
                                         (bits & 8) != 0, (bits & 16) != 0, static_cast<uint32_t>(bits)};
    for (const std::vector<LayerShape>& shapes : {SmallLayers(), LeNet5Layers()}) {
      const proto::QuantizedNetwork record = RandomRecord(options).Make("net", shapes).value();
      absl::StatusOr<proto::QuantizedNetwork> imported = ImportOnnx(ExportOnnx(record, {bits % 3 == 0}).value());
      ASSERT_THAT(imported, IsOk());
      EXPECT_EQ(Difference(*ToIntegerNetwork(record), *ToIntegerNetwork(*imported)), "") << bits;
      EXPECT_EQ(imported->onnx_form(), kQOperatorForm);
      imported->clear_onnx_form();
      EXPECT_EQ(record.SerializeAsString(), imported->SerializeAsString()) << bits;
    }
  }
}

TEST(ImportOnnxTest, ResNet18IsTheSameNetwork) {
  RandomRecordOptions options;
  options.per_channel = options.bias = options.zero_points = true;
  const proto::QuantizedNetwork record = RandomRecord(options).Make("resnet18", ResNet18Layers()).value();
  const absl::StatusOr<proto::QuantizedNetwork> imported = ImportOnnx(ExportOnnx(record).value());
  ASSERT_THAT(imported, IsOk());
  EXPECT_EQ(Difference(*ToIntegerNetwork(record), *ToIntegerNetwork(*imported)), "");
}

TEST(ImportOnnxTest, TheDifferenceIsSeen) {
  IntegerNetwork one = *ToIntegerNetwork(Record()), other = one;
  other.layers[2].add.b = std::nextafter(other.layers[2].add.b, 9.0f);
  EXPECT_EQ(Difference(one, other), "block.add: multiplier");
}

TEST(ImportOnnxTest, OthersHaveNoMetadata) {
  ModelProto model = Model();
  model.clear_metadata_props();
  model.mutable_graph()->set_name("a graph\n");
  const absl::StatusOr<proto::QuantizedNetwork> record = ImportOnnx(model);
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(record->name(), "a_graph_");
  EXPECT_EQ(record->mean_size(), 0);
}

TEST(ImportOnnxTest, WeightsOfUint8) {
  ModelProto model = Model();
  TensorProto& weight = Constant(model, "conv1.weight");
  weight.set_data_type(TensorProto::UINT8);
  for (char& value : *weight.mutable_raw_data()) {
    value = static_cast<char>(static_cast<uint8_t>(value) + 128);
  }
  TensorProto& zero = Constant(model, "conv1.weight_zero_point");
  zero.set_data_type(TensorProto::UINT8);
  zero.set_raw_data("\x80");
  const absl::StatusOr<proto::QuantizedNetwork> record = ImportOnnx(model);
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(Difference(*ToIntegerNetwork(Record()), *ToIntegerNetwork(*record)), "");

  zero.set_raw_data("\x7F");
  weight.mutable_raw_data()->at(0) = '\xFF';  // 128 from its zero point: import_added_layers_test.cc tests the sums
  EXPECT_EQ(ImportOnnx(model)->layer(0).name(), "image.copies");
}

TEST(ImportOnnxTest, NamesTheNodeThatIsNotOurs) {
  const auto conv = [](const std::string& attribute, const std::vector<int64_t>& values) {
    return Changed([&](ModelProto& model) { SetInts(attribute, values, Node(model, "block.conv1")); });
  };
  EXPECT_THAT(Changed([](ModelProto& model) { Node(model, "conv1").set_op_type("ConvTranspose"); }),
              StatusIs(kNotOurs, HasSubstr("node 'conv1' (ConvTranspose): not an operator that Lockstep runs")));
  EXPECT_THAT(Changed([](ModelProto& model) { Node(model, "block.add").set_domain("x"); }),
              StatusIs(kNotOurs, HasSubstr("node 'block.add' (x.QLinearAdd)")));
  const std::string words = "node 'block.conv1' (QLinearConv): kernel, strides, pads, dilations or groups";
  EXPECT_THAT(conv("strides", {1, 2}), StatusIs(kNotOurs, HasSubstr(words)));
  EXPECT_THAT(conv("strides", {0, 0}), StatusIs(kNotOurs, HasSubstr(words)));
  EXPECT_THAT(conv("strides", {-1, -1}), StatusIs(kNotOurs, HasSubstr(words)));
  EXPECT_THAT(conv("strides", {int64_t{1} << 40, int64_t{1} << 40}), StatusIs(kNotOurs, HasSubstr(words)));
  EXPECT_THAT(conv("pads", {1, 1, 1, 0}), StatusIs(kNotOurs, HasSubstr(words)));
  EXPECT_THAT(conv("pads", {}), StatusIs(kNotOurs, HasSubstr(words)));
  EXPECT_THAT(conv("dilations", {2, 2}), StatusIs(kNotOurs, HasSubstr(words)));
  EXPECT_THAT(conv("kernel_shape", {5, 5}), StatusIs(kNotOurs, HasSubstr(words)));
  EXPECT_THAT(conv("pads", {3, 3, 3, 3}), StatusIs(kNotOurs, HasSubstr("a padding of 3 is not below its kernel of 3")));
}

TEST(ImportOnnxTest, DoesNotRescale) {
  EXPECT_THAT(Changed([](ModelProto& model) { Node(model, "block.conv1").set_input(1, "image.scale"); }),
              StatusIs(kNotOurs, HasSubstr("node 'block.conv1' (QLinearConv): takes 'conv1' for uint8 of scale")));
}

TEST(ImportOnnxTest, ALayerThatWasReadIsNotChanged) {
  EXPECT_THAT(Changed([](ModelProto& model) {
                NodeProto& add = Node(model, "block.add");
                for (int i = 0; i < 3; ++i) {  // reads block.conv1 twice, before the Clip below
                  add.set_input(3 + i, add.input(i));
                }
                NodeProto& clip = *model.mutable_graph()->add_node();
                clip.set_op_type("Clip");
                clip.set_name("late");
                clip.add_input("block.conv1");
                clip.add_input("block.conv1.zero_point");
                clip.add_output("late");
              }),
              StatusIs(kNotOurs, HasSubstr("node 'late' (Clip): its input has other readers")));
}

TEST(ImportOnnxTest, RefusesOtherImages) {
  const auto dim = [](int index, int64_t size) {
    return Changed([&](ModelProto& model) {
      model.mutable_graph()
          ->mutable_input(0)
          ->mutable_type()
          ->mutable_tensor_type()
          ->mutable_shape()
          ->mutable_dim(index)
          ->set_dim_value(size);
    });
  };
  EXPECT_THAT(dim(2, 224), StatusIs(kNotOurs, HasSubstr("is not (N, 3, 32, 32)")));
  EXPECT_THAT(dim(0, 1), IsOk());
  EXPECT_THAT(Changed([](ModelProto& model) { model.mutable_graph()->mutable_input(0)->clear_type(); }),
              StatusIs(kNotOurs, HasSubstr("has type 0, expected float32")));
  EXPECT_THAT(Changed([](ModelProto& model) { model.mutable_graph()->clear_input(); }),
              StatusIs(kNotOurs, HasSubstr("0 inputs, expected one")));
}

TEST(ImportOnnxTest, RefusesBrokenGraphs) {
  EXPECT_THAT(ImportOnnx(ModelProto()), StatusIs(kBroken, HasSubstr("it has no graph")));
  EXPECT_THAT(
      Changed([](ModelProto& model) { Node(model, "conv1").set_input(0, "logits"); }),  // a cycle
      StatusIs(kBroken, HasSubstr("node 'conv1' (QLinearConv): its input 'logits' is written by no node before")));
  EXPECT_THAT(Changed([](ModelProto& model) { Node(model, "conv1").mutable_input()->Clear(); }),
              StatusIs(kBroken, HasSubstr("has 0 inputs, and number 1 is absent")));
  EXPECT_THAT(Changed([](ModelProto& model) { Node(model, "conv1").mutable_output()->Clear(); }),
              StatusIs(kBroken, HasSubstr("expected one output")));
  EXPECT_THAT(Changed([](ModelProto& model) { Node(model, "block.conv1").set_output(0, "conv1"); }),
              StatusIs(kBroken, HasSubstr("a name that nothing else has")));
  EXPECT_THAT(Changed([](ModelProto& model) { Constant(model, "conv1.weight").set_dims(0, int64_t{1} << 60); }),
              StatusIs(kBroken, HasSubstr("tensor 'conv1.weight': more values by its dimensions")));
  EXPECT_THAT(
      Changed([](ModelProto& model) { *model.mutable_graph()->add_initializer() = Uint8Tensor("conv1.scale", 1); }),
      StatusIs(kBroken, HasSubstr("two constants are named 'conv1.scale'")));
  EXPECT_THAT(Changed([](ModelProto& model) { model.mutable_graph()->clear_output(); }),
              StatusIs(kBroken, HasSubstr("its first output '' is written by no node")));
  EXPECT_THAT(Changed([](ModelProto& model) { model.mutable_graph()->mutable_output(0)->set_name("conv1"); }),
              StatusIs(kNotOurs, HasSubstr("'conv1' is not what its last quantized layer writes")));
}

// Another runtime may take the last of two entries, and then run another network.
TEST(ImportOnnxTest, onnx_second_attribute_of_a_name) {
  constexpr int64_t kAbsurd = int64_t{1} << 40;
  EXPECT_THAT(
      Changed([](ModelProto& model) {
        AddInts("pads", {kAbsurd, kAbsurd, kAbsurd, kAbsurd}, Node(model, "block.conv1"));
      }),
      StatusIs(kBroken, HasSubstr("node 'block.conv1' (QLinearConv): expected one attribute 'pads', found two")));
  EXPECT_THAT(Changed([](ModelProto& model) {
                NodeProto& node = Node(model, "block.conv1");
                *node.add_attribute() = node.attribute(0);
              }),
              StatusIs(kBroken, HasSubstr("found two")));
}

TEST(ImportOnnxTest, onnx_second_of_what_is_there_once) {
  EXPECT_THAT(Changed([](ModelProto& model) { Node(model, "block.conv1").add_output("conv1"); }),
              StatusIs(kBroken, HasSubstr("node 'block.conv1' (QLinearConv): expected outputs with a name")));
  EXPECT_THAT(Changed([](ModelProto& model) { Node(model, "conv1").add_output("conv1"); }), StatusIs(kBroken, _));
  EXPECT_THAT(Changed([](ModelProto& model) { *model.mutable_graph()->add_input() = model.graph().input(0); }),
              StatusIs(kBroken, HasSubstr("two inputs are named")));
  EXPECT_THAT(Changed([](ModelProto& model) { *model.mutable_graph()->add_output() = model.graph().output(0); }),
              StatusIs(kBroken, HasSubstr("two outputs are named")));
  EXPECT_THAT(Changed([](ModelProto& model) { *model.add_opset_import() = model.opset_import(0); }),
              StatusIs(kBroken, HasSubstr("expected one opset of domain ''")));
  EXPECT_THAT(Changed([](ModelProto& model) { *model.add_metadata_props() = model.metadata_props(0); }),
              StatusIs(kBroken, HasSubstr("expected one metadata entry")));
}

TEST(ImportOnnxTest, RefusesNumbersOfNoUse) {
  const auto scale = [](const std::string& name, float value) {
    return Changed([&](ModelProto& model) { Constant(model, name) = FloatTensor(name, {}, {value}); });
  };
  EXPECT_THAT(scale("conv1.scale", 0), StatusIs(kNotOurs, HasSubstr("a scale of 0, expected a positive number")));
  EXPECT_THAT(scale("conv1.scale", -1), StatusIs(kNotOurs, HasSubstr("a scale of -1")));
  EXPECT_THAT(scale("conv1.weight_scale", std::nanf("")), StatusIs(kNotOurs, HasSubstr("the weight step")));
  EXPECT_THAT(scale("conv1.weight_scale", 1e-37f), StatusIs(kNotOurs, HasSubstr("conv1")));
  EXPECT_THAT(Changed([](ModelProto& model) {
                Constant(model, "conv1.weight_zero_point") = Int32Tensor("conv1.weight_zero_point", {}, {300});
              }),
              StatusIs(kBroken, HasSubstr("with a zero point of 300, which is not of the weights' type")));
  RandomRecordOptions options;
  options.bias = true;
  ModelProto model = Model(options);
  Constant(model, "conv1.bias") = Int32Tensor("conv1.bias", {4}, {2147483647, 0, 0, 0});
  EXPECT_THAT(ImportOnnx(model), StatusIs(kNotOurs, HasSubstr("conv1")));
}

}  // namespace
}  // namespace lockstep
