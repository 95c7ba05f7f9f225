#include "lib/onnx/node_weights.h"

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
using ::onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kNotOurs = absl::StatusCode::kFailedPrecondition;

TensorProto Uint8(const std::string& name, const std::vector<int64_t>& dims, const std::string& bytes) {
  TensorProto tensor = Int8Tensor(name, dims, std::vector<int8_t>(bytes.begin(), bytes.end()));
  tensor.set_data_type(TensorProto::UINT8);
  return tensor;
}

// A graph of one node that reads constants.
class NodeWeightsTest : public ::testing::Test {
 protected:
  ::onnx::NodeProto& Node(const std::vector<TensorProto>& constants) {
    ::onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type("DequantizeLinear");
    node.set_name("weights");
    for (const TensorProto& constant : constants) {
      node.add_input(constant.name());
      *graph_.add_initializer() = constant;
    }
    return node;
  }
  const OnnxGraph& Graph() {
    made_.push_back(*OnnxGraph::Make(graph_));
    return made_.back();
  }

 private:
  ::onnx::GraphProto graph_;
  std::vector<OnnxGraph> made_;
};

TEST_F(NodeWeightsTest, SubtractsAZeroPointForEachChannel) {
  ::onnx::NodeProto& node = Node({Uint8("w", {2, 2}, std::string("\0\xFF\x80\x01", 4)),
                                  FloatTensor("s", {2}, {0.5f, 2}), Uint8("z", {2}, std::string("\0\x7F", 2))});
  const auto by_row = ReadWeights(Graph(), node, 0, 2, 0, 2);
  ASSERT_THAT(by_row, IsOk());
  EXPECT_THAT(by_row->values, ElementsAre(0, 255, 1, -126));
  const auto by_column = ReadWeights(Graph(), node, 0, 2, 1, 2);
  ASSERT_THAT(by_column, IsOk());
  EXPECT_THAT(by_column->values, ElementsAre(0, 128, 128, -126));

  AddInt("axis", -1, node);
  EXPECT_THAT(ReadDequantizedWeights(Graph(), node, 2, 1), IsOk());
  EXPECT_THAT(ReadDequantizedWeights(Graph(), node, 2, 0),
              StatusIs(kNotOurs, HasSubstr("one for each output channel")));
}

TEST_F(NodeWeightsTest, RefusesOtherDimensionsTypesAndZeroPoints) {
  const ::onnx::NodeProto& node =
      Node({Int8Tensor("w", {2, 2}, {1, 2, 3, 4}), FloatTensor("s", {}, {0.5f}), Int8Tensor("z", {3}, {1, 2, 3})});
  EXPECT_THAT(ReadWeights(Graph(), node, 0, 4, 0, 5),
              StatusIs(kNotOurs, HasSubstr("weights of 2 dimensions, expected 4")));
  EXPECT_THAT(ReadWeights(Graph(), node, 1, 0, 0, 5), StatusIs(kNotOurs, HasSubstr("weights of type 1")));
  EXPECT_THAT(ReadWeights(Graph(), node, 0, 2, 0, 2), StatusIs(kNotOurs, HasSubstr("3 zero points of its weights")));
}

TEST_F(NodeWeightsTest, TransposesTwice) {
  NodeWeights weights = {{2, 3}, {1, 2, 3, 4, 5, 6}, {1}};
  TransposeWeights(weights);
  EXPECT_THAT(weights.values, ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(weights.dims, ElementsAre(3, 2));
}

TEST_F(NodeWeightsTest, LargeWeightsAreSumsOfSmallOnes) {
  EXPECT_EQ(TermsPerWeight({{1, 2}, {127, -127}, {1}}), 1u);
  EXPECT_EQ(TermsPerWeight({{1, 2}, {0, 0}, {1}}), 1u);
  EXPECT_EQ(TermsPerWeight({{1, 2}, {5, -128}, {1}}), 2u);
  EXPECT_EQ(TermsPerWeight({{1, 2}, {254, 3}, {1}}), 2u);
  EXPECT_EQ(TermsPerWeight({{1, 2}, {-255, 3}, {1}}), 3u);
  // Two outputs of two inputs: each output has its first copies, then its second ones.
  const QuantizedWeights split = SplitWeights({{2, 2}, {200, -3, -254, 127}, {0.5f, 2}}, 2);
  EXPECT_THAT(split.values, ElementsAre(127, -3, 73, 0, -127, 127, -127, 0));
  EXPECT_THAT(split.steps, ElementsAre(0.5f, 2));
  EXPECT_THAT(SplitWeights({{1, 1}, {255}, {1}}, 3).values, ElementsAre(127, 127, 1));
}

}  // namespace
}  // namespace lockstep
