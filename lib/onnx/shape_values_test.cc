#include "lib/onnx/shape_values.h"

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
using ::onnx::NodeProto;
using ::testing::HasSubstr;

constexpr auto kNotOurs = absl::StatusCode::kFailedPrecondition;
constexpr std::nullopt_t kBatch = std::nullopt;

NodeProto Node(const char* op) {
  NodeProto node;
  node.set_op_type(op);
  node.set_name("node");
  return node;
}

NodeProto Node(const char* op, const std::string& attribute, int64_t value) {
  NodeProto node = Node(op);
  AddInt(attribute, value, node);
  return node;
}

NodeProto WithAxes(const char* op, const std::vector<int64_t>& axes) {
  NodeProto node = Node(op);
  AddInts("axes", axes, node);
  return node;
}

ShapeValues Vector(const std::vector<std::optional<int64_t>>& values) { return {values, false}; }
ShapeValues Scalar(std::optional<int64_t> value) { return {{value}, true}; }

const ShapeValues kShape = Vector({kBatch, 16, 5, 5});

// x.view(x.size(0), -1)
TEST(ShapeValuesTest, TheBatchSizeIsCarriedThrough) {
  const auto batch = ComputeShape(Node("Gather", "axis", 0), {kShape, Scalar(0)});
  ASSERT_THAT(batch, IsOk());
  EXPECT_EQ(*batch, Scalar(kBatch));
  const auto vector = ComputeShape(Node("Unsqueeze"), {*batch, Vector({0})});
  ASSERT_THAT(vector, IsOk());
  EXPECT_EQ(*vector, Vector({kBatch}));
  EXPECT_EQ(*ComputeShape(WithAxes("Unsqueeze", {0}), {*batch}), *vector);  // before opset 13
  const auto shape = ComputeShape(Node("Concat", "axis", 0), {*vector, Vector({-1})});
  ASSERT_THAT(shape, IsOk());
  EXPECT_EQ(*shape, Vector({kBatch, -1}));
}

TEST(ShapeValuesTest, SizesAreMultiplied) {
  const auto channels = ComputeShape(Node("Gather"), {kShape, Scalar(1)});
  const auto side = ComputeShape(Node("Gather"), {kShape, Scalar(-1)});
  EXPECT_EQ(*ComputeShape(Node("Mul"), {*channels, *side}), Scalar(80));
  EXPECT_EQ(*ComputeShape(Node("Mul"), {Scalar(5), Vector({16, 5})}), Vector({80, 25}));
  EXPECT_THAT(ComputeShape(Node("Mul"), {Scalar(kBatch), Scalar(5)}),
              StatusIs(kNotOurs, HasSubstr("node 'node' (Mul)")));
  EXPECT_THAT(ComputeShape(Node("Mul"), {Scalar(int64_t{1} << 40), Scalar(int64_t{1} << 40)}),
              StatusIs(kNotOurs, HasSubstr("")));
  EXPECT_THAT(ComputeShape(Node("Mul"), {Vector({1, 2}), Vector({1, 2, 3})}), StatusIs(kNotOurs, HasSubstr("")));
}

TEST(ShapeValuesTest, PartsOfAShape) {
  EXPECT_EQ(*ComputeShape(Node("Slice"), {kShape, Vector({0}), Vector({1})}), Vector({kBatch}));
  EXPECT_EQ(*ComputeShape(Node("Slice"), {kShape, Vector({-2}), Vector({INT64_MAX}), Vector({0}), Vector({1})}),
            Vector({5, 5}));
  EXPECT_EQ(*ComputeShape(Node("Slice"), {kShape, Vector({3}), Vector({1})}), Vector({}));
  EXPECT_THAT(ComputeShape(Node("Slice"), {kShape, Vector({0}), Vector({4}), Vector({0}), Vector({2})}),
              StatusIs(kNotOurs, HasSubstr("export the model with a fixed shape")));
  EXPECT_EQ(*ComputeShape(Node("Gather"), {kShape, Vector({0, 1})}), Vector({kBatch, 16}));
  EXPECT_THAT(ComputeShape(Node("Gather"), {kShape, Scalar(4)}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("element 4 of 4 sizes")));
  EXPECT_THAT(ComputeShape(Node("Gather"), {kShape, Scalar(-5)}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("element -5 of 4 sizes")));
  EXPECT_EQ(*ComputeShape(Node("Squeeze"), {Vector({16}), Vector({0})}), Scalar(16));
  EXPECT_THAT(ComputeShape(Node("Squeeze"), {kShape}), StatusIs(kNotOurs, HasSubstr("")));
}

TEST(ShapeValuesTest, CastToIntegersOnly) {
  EXPECT_EQ(*ComputeShape(Node("Cast", "to", ::onnx::TensorProto::INT64), {kShape}), kShape);
  EXPECT_THAT(ComputeShape(Node("Cast", "to", ::onnx::TensorProto::FLOAT), {kShape}),
              StatusIs(kNotOurs, HasSubstr("")));
}

TEST(ShapeValuesTest, ConstantsAreScalarsOrShortVectors) {
  EXPECT_EQ(*ShapeConstant(Node("Reshape"), Int32Tensor("c", {}, {7})), Scalar(7));
  EXPECT_EQ(*ShapeConstant(Node("Reshape"), Int32Tensor("c", {2}, {7, -1})), Vector({7, -1}));
  EXPECT_THAT(ShapeConstant(Node("Reshape"), Int32Tensor("c", {1, 2}, {7, -1})), StatusIs(kNotOurs, HasSubstr("")));
  EXPECT_THAT(ShapeConstant(Node("Reshape"), Int32Tensor("c", {17}, std::vector<int32_t>(17))),
              StatusIs(kNotOurs, HasSubstr("")));
}

// Many nodes must not make a long shape.
TEST(ShapeValuesTest, ShapesStayShort) {
  const ShapeValues ten = Vector(std::vector<std::optional<int64_t>>(10, 1));
  EXPECT_THAT(ComputeShape(Node("Concat"), {ten, ten}), StatusIs(kNotOurs, HasSubstr("")));
  EXPECT_FALSE(IsShapeOperator("Shape"));
  EXPECT_FALSE(IsShapeOperator("Reshape"));
}

}  // namespace
}  // namespace lockstep
