#include "lib/onnx/node_bias.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/onnx/graph_writer.h"
#include "lib/onnx/tensor_values.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::onnx::TensorProto;
using ::testing::HasSubstr;

constexpr auto kNotOurs = absl::StatusCode::kFailedPrecondition;
constexpr float kInputStep = 0.25f;

MATCHER_P(Holds, values, "") {
  *result_listener << arg.status().ToString();
  return arg.ok() && *arg == values;
}

// Returns two outputs with their own steps.
NodeWeights Weights() { return {{2, 1}, {1, 1}, {0.5f, 2}}; }

// A graph of one node that reads constants; an axis of 0 for scales in a list.
class NodeBiasTest : public ::testing::Test {
 protected:
  explicit NodeBiasTest() {
    ::onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type("DequantizeLinear");
    node.set_name("bias");
    AddInt("axis", 0, node);
  }

  const ::onnx::NodeProto& Node(const std::vector<TensorProto>& constants) {
    graph_.clear_initializer();
    graph_.mutable_node(0)->clear_input();
    for (const TensorProto& constant : constants) {
      graph_.mutable_node(0)->add_input(constant.name());
      *graph_.add_initializer() = constant;
    }
    return graph_.node(0);
  }

  absl::StatusOr<std::vector<int32_t>> Dequantized(const std::vector<TensorProto>& constants) {
    const ::onnx::NodeProto& node = Node(constants);
    return ReadDequantizedBias(*OnnxGraph::Make(graph_), node, kInputStep, Weights());
  }

  absl::StatusOr<std::vector<int32_t>> Rounded(const std::vector<float>& values) {
    const ::onnx::NodeProto& node = Node({FloatTensor("b", {static_cast<int64_t>(values.size())}, values)});
    return RoundFloatBias(*OnnxGraph::Make(graph_), node, 0, kInputStep, Weights());
  }

  ::onnx::GraphProto graph_;
};

TEST_F(NodeBiasTest, Int32) {
  const ::onnx::NodeProto& node = Node({Int32Tensor("b", {2}, {7, -9})});
  EXPECT_THAT(ReadBias(*OnnxGraph::Make(graph_), node, 0), Holds(std::vector<int32_t>{7, -9}));
  EXPECT_THAT(ReadBias(*OnnxGraph::Make(graph_), node, 1), Holds(std::vector<int32_t>()));
  const ::onnx::NodeProto& other = Node({Int8Tensor("b", {2}, {7, -9})});
  EXPECT_THAT(ReadBias(*OnnxGraph::Make(graph_), other, 0), StatusIs(kNotOurs, HasSubstr("a bias of type 3")));
}

TEST_F(NodeBiasTest, DequantizedByTheScaleOfTheSums) {
  const TensorProto bias = Int32Tensor("b", {2}, {7, -9});
  EXPECT_THAT(Dequantized({bias, FloatTensor("s", {2}, {0.125f, 0.5f})}), Holds(std::vector<int32_t>{7, -9}));
  EXPECT_THAT(Dequantized({bias, FloatTensor("s", {2}, {0.12500001f, 0.5f}), Int32Tensor("z", {}, {0})}),
              Holds(std::vector<int32_t>{7, -9}));
  // ONNX Runtime does not look at the scale, so that another one is ambiguous.
  EXPECT_THAT(Dequantized({bias, FloatTensor("s", {2}, {0.125f, 0.6f})}),
              StatusIs(kNotOurs, HasSubstr("a bias of scale 0.6, expected 0.5")));
  EXPECT_THAT(Dequantized({Int32Tensor("b", {2}, {7, 0}), FloatTensor("s", {2}, {0.125f, 0.6f})}),
              Holds(std::vector<int32_t>{7, 0}));
  EXPECT_THAT(Dequantized({bias, FloatTensor("s", {2}, {0.125f, 0.5f}), Int32Tensor("z", {}, {1})}),
              StatusIs(kNotOurs, HasSubstr("zero point is not 0")));
  EXPECT_THAT(Dequantized({bias, FloatTensor("s", {3}, {0.125f, 0.5f, 1})}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("3 scales of 2 biases")));
}

TEST_F(NodeBiasTest, Float32IsRoundedToUnitsOfTheSums) {
  EXPECT_THAT(Rounded({1.0f, 1.2f}), Holds(std::vector<int32_t>{8, 2}));
  EXPECT_THAT(Rounded({1e9f, 1.2f}), StatusIs(kNotOurs, HasSubstr("exceeds int32")));
  EXPECT_THAT(Rounded({std::nanf(""), 1.2f}), StatusIs(kNotOurs, HasSubstr("exceeds int32")));
}

}  // namespace
}  // namespace lockstep
