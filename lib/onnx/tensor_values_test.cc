#include "lib/onnx/tensor_values.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TensorValuesTest, KeepsWhatWasPutIn) {
  EXPECT_THAT(*FloatValues(FloatTensor("x", {2}, {1.5f, -0.0f})), ElementsAre(1.5f, -0.0f));
  EXPECT_THAT(*IntegerValues(Int8Tensor("x", {3}, {-128, 0, 127})), ElementsAre(-128, 0, 127));
  EXPECT_THAT(*IntegerValues(Uint8Tensor("x", 255)), ElementsAre(255));
  EXPECT_THAT(*IntegerValues(Int32Tensor("x", {1, 1}, {-2147483647 - 1})), ElementsAre(-2147483648));
  EXPECT_THAT(*IntegerValues(Int8Tensor("x", {2, 0}, {})), IsEmpty());
}

TEST(TensorValuesTest, ReadsTypedLists) {
  TensorProto tensor;
  tensor.set_data_type(TensorProto::INT8);
  tensor.add_int32_data(-128);
  EXPECT_THAT(*IntegerValues(tensor), ElementsAre(-128));
  tensor.set_data_type(TensorProto::UINT8);
  EXPECT_THAT(IntegerValues(tensor), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("the value -128 is outside")));

  TensorProto list;
  list.set_data_type(TensorProto::INT64);
  list.add_dims(2);
  list.add_int64_data(std::numeric_limits<int64_t>::min());
  list.add_int64_data(7);
  EXPECT_THAT(*IntegerValues(list), ElementsAre(std::numeric_limits<int64_t>::min(), 7));
}

TEST(TensorValuesTest, RefusesSizesThatContradictEachOther) {
  TensorProto tensor = Int32Tensor("bias", {3}, {1, 2, 3});
  tensor.set_dims(0, 4);
  EXPECT_THAT(IntegerValues(tensor), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("tensor 'bias'")));
  tensor.set_dims(0, 2);
  EXPECT_THAT(IntegerValues(tensor),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("3 values, its dimensions need 2")));
  tensor.set_dims(0, -3);
  EXPECT_THAT(IntegerValues(tensor), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a dimension below 0")));
  tensor.set_dims(0, 3);
  tensor.mutable_raw_data()->append("x");
  EXPECT_THAT(IntegerValues(tensor), StatusIs(absl::StatusCode::kDataLoss, ::testing::_));
}

TEST(TensorValuesTest, RefusesDimensionsWhoseProductWraps) {
  TensorProto tensor = Int8Tensor("huge", {int64_t{1} << 62, 4}, {});
  EXPECT_THAT(IntegerValues(tensor), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("more values by its dimensions")));
}

TEST(TensorValuesTest, RefusesOtherTypesAndOtherFiles) {
  EXPECT_THAT(FloatValues(Uint8Tensor("x", 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("type 2, expected float32 (1)")));
  EXPECT_THAT(IntegerValues(FloatTensor("x", {}, {1})),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("type 1, expected uint8")));
  TensorProto tensor = FloatTensor("weights", {}, {1});
  tensor.set_data_location(TensorProto::EXTERNAL);
  EXPECT_THAT(FloatValues(tensor),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("in a file next to the model")));
}

}  // namespace
}  // namespace lockstep
