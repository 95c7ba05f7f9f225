#include "lib/onnx/normalize_graph.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/onnx/graph_writer.h"
#include "lib/onnx/tensor_values.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;
using ::onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

NodeProto& AddNode(const std::string& op, const std::vector<std::string>& inputs, const std::string& output,
                   GraphProto& graph) {
  NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  node.mutable_input()->Add(inputs.begin(), inputs.end());
  node.add_output(output);
  return node;
}

TEST(NormalizeGraphTest, ReadersOfANoOperationReadItsInput) {
  GraphProto graph;
  *graph.add_initializer() = FloatTensor("ratio", {}, {0.5f});
  TensorProto off = FloatTensor("off", {}, {});
  off.set_raw_data(std::string(1, '\0'));
  *graph.add_initializer() = off;
  AddNode("Identity", {"image"}, "a", graph);
  AddNode("Dropout", {"a", "ratio", "off"}, "b", graph);
  AddNode("Relu", {"b"}, "c", graph);
  AddNode("Identity", {"c"}, "d", graph);
  graph.add_output()->set_name("d");
  graph.add_output()->set_name("c");
  ASSERT_THAT(NormalizeGraph(graph), IsOk());
  ASSERT_EQ(graph.node_size(), 1);
  EXPECT_THAT(graph.node(0).input(), ElementsAre("image"));
  ASSERT_EQ(graph.output_size(), 1);
  EXPECT_EQ(graph.output(0).name(), "c");
}

TEST(NormalizeGraphTest, WhatComputesSomethingStays) {
  GraphProto graph;
  TensorProto on = FloatTensor("on", {}, {});
  on.set_raw_data("\x01");
  *graph.add_initializer() = on;
  AddNode("Dropout", {"image", "", "on"}, "a", graph);  // trains
  AddNode("Dropout", {"image", "", "image"}, "b", graph);
  AddNode("Dropout", {"image"}, "c", graph).add_output("mask");
  AddNode("Identity", {"image"}, "d", graph).set_domain("other");
  AddNode("Identity", {}, "e", graph);
  ASSERT_THAT(NormalizeGraph(graph), IsOk());
  EXPECT_EQ(graph.node_size(), 5);
}

TEST(NormalizeGraphTest, ConstantsBecomeInitializers) {
  GraphProto graph;
  const auto constant = [&](const std::string& name, const std::string& attribute) -> AttributeProto& {
    AttributeProto& value = *AddNode("Constant", {}, name, graph).add_attribute();
    value.set_name(attribute);
    return value;
  };
  *constant("tensor", "value").mutable_t() = Int32Tensor("other", {1}, {5});
  constant("int", "value_int").set_i(7);
  constant("ints", "value_ints").add_ints(8);
  constant("float", "value_float").set_f(0.5f);
  constant("floats", "value_floats").add_floats(1.5f);
  constant("text", "value_string").set_s("x");
  ASSERT_THAT(NormalizeGraph(graph), IsOk());
  ASSERT_EQ(graph.initializer_size(), 5);
  EXPECT_EQ(graph.initializer(0).name(), "tensor");
  EXPECT_THAT(*IntegerValues(graph.initializer(0)), ElementsAre(5));
  EXPECT_THAT(*IntegerValues(graph.initializer(1)), ElementsAre(7));
  EXPECT_EQ(graph.initializer(1).dims_size(), 0);
  EXPECT_THAT(*IntegerValues(graph.initializer(2)), ElementsAre(8));
  EXPECT_EQ(graph.initializer(2).dims_size(), 1);
  EXPECT_THAT(*FloatValues(graph.initializer(3)), ElementsAre(0.5f));
  EXPECT_THAT(*FloatValues(graph.initializer(4)), ElementsAre(1.5f));
  EXPECT_EQ(graph.node_size(), 1);
}

TEST(NormalizeGraphTest, ConstantWeightsAreQuantized) {
  GraphProto graph;
  *graph.add_initializer() = FloatTensor("w", {2, 2}, {0.25f, -0.75f, 100, std::nanf("")});
  *graph.add_initializer() = FloatTensor("s", {2}, {0.5f, 0.25f});
  *graph.add_initializer() = Int8Tensor("z", {2}, {0, 3});
  AddInt("axis", -2, AddNode("QuantizeLinear", {"w", "s", "z"}, "q", graph));
  ASSERT_THAT(NormalizeGraph(graph), IsOk());
  EXPECT_EQ(graph.node_size(), 0);
  ASSERT_EQ(graph.initializer_size(), 4);
  EXPECT_EQ(graph.initializer(3).name(), "q");
  EXPECT_EQ(graph.initializer(3).data_type(), TensorProto::INT8);
  EXPECT_THAT(*IntegerValues(graph.initializer(3)), ElementsAre(0, -2, 127, -128));  // half to even

  AddInt("axis", 1, AddNode("QuantizeLinear", {"w", "s", "z"}, "by_column", graph));
  AddNode("QuantizeLinear", {"image", "s", "z"}, "image_quantized", graph);
  ASSERT_THAT(NormalizeGraph(graph), IsOk());
  EXPECT_THAT(*IntegerValues(graph.initializer(4)), ElementsAre(0, 0, 127, -128));
  EXPECT_EQ(graph.node_size(), 1);
}

TEST(NormalizeGraphTest, RefusesScalesOfNoChannels) {
  GraphProto graph;
  *graph.add_initializer() = FloatTensor("w", {2, 2}, {1, 2, 3, 4});
  *graph.add_initializer() = FloatTensor("s", {3}, {1, 2, 3});
  AddNode("QuantizeLinear", {"w", "s"}, "q", graph).set_name("weights");
  EXPECT_THAT(NormalizeGraph(graph),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("node 'weights' (QuantizeLinear): 3 scales")));
}

}  // namespace
}  // namespace lockstep
