#include "lib/kernels/convolution_shape.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr ConvolutionShape kShape = {32, 64, 16, 128, 3, 2};

// The message when `change` is made to a good shape.
template <typename F>
std::string Refusal(F change) {
  ConvolutionShape shape = kShape;
  change(shape);
  const absl::Status status = CheckConvolutionShape(shape);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(ConvolutionShapeTest, RefusesWhatIsNoConvolutionByTheFieldsName) {
  EXPECT_TRUE(CheckConvolutionShape(kShape).ok());
  EXPECT_EQ(Refusal([](ConvolutionShape& s) { s.images = 0; }), "convolution: images must be at least 1, found 0");
  EXPECT_EQ(Refusal([](ConvolutionShape& s) { s.in_channels = 0; }),
            "convolution: in_channels and out_channels must be at least 1, found 0");
  EXPECT_EQ(Refusal([](ConvolutionShape& s) { s.out_channels = 0; }),
            "convolution: in_channels and out_channels must be at least 1, found 0");
  EXPECT_EQ(Refusal([](ConvolutionShape& s) { s.filter = 5; }), "convolution: filter must be 1 or 3, found 5");
  EXPECT_EQ(Refusal([](ConvolutionShape& s) { s.stride = 0; }), "convolution: stride must be 1 or 2, found 0");
  EXPECT_EQ(Refusal([](ConvolutionShape& s) { s.in_size = 15; }),
            "convolution: in_size must be a positive multiple of the stride 2, found 15");
  EXPECT_EQ(Refusal([](ConvolutionShape& s) { s.in_size = 0; }),
            "convolution: in_size must be a positive multiple of the stride 2, found 0");
}

TEST(ConvolutionShapeTest, RefusesTensorsThatCannotBeCounted) {
  EXPECT_TRUE(CheckConvolutionShape({1u << 15, 64, 32, 32, 1, 1}).code() ==
              absl::StatusCode::kInvalidArgument);  // 2^31
  EXPECT_TRUE(CheckConvolutionShape({(1u << 15) - 1, 64, 32, 32, 1, 1}).ok());
  EXPECT_TRUE(CheckConvolutionShape({1, 4, 1u << 31, 4, 1, 1}).code() == absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(CheckConvolutionShape({1, 1u << 31, 2, 1u << 31, 3, 1}).code() == absl::StatusCode::kInvalidArgument);
}

TEST(ConvolutionShapeTest, CountsTheOperandsOfEachPass) {
  EXPECT_EQ(ConvolutionOutSize(kShape), 8u);
  const size_t x = 32 * 16 * 16 * 64, w = 128 * 3 * 3 * 64, y = 32 * 8 * 8 * 128;
  const ConvolutionOperands forward = CountOperands(kShape, ConvolutionPass::kForward);
  EXPECT_EQ(forward.a, x);
  EXPECT_EQ(forward.b, w);
  EXPECT_EQ(forward.out, y);
  const ConvolutionOperands data = CountOperands(kShape, ConvolutionPass::kDataGradient);
  EXPECT_EQ(data.a, y);
  EXPECT_EQ(data.b, w);
  EXPECT_EQ(data.out, x);
  const ConvolutionOperands weight = CountOperands(kShape, ConvolutionPass::kWeightGradient);
  EXPECT_EQ(weight.a, y);
  EXPECT_EQ(weight.b, x);
  EXPECT_EQ(weight.out, w);
  EXPECT_EQ(ConvolutionFlops(kShape), 2.0 * y * 9 * 64);
}

TEST(ConvolutionShapeTest, DescribesThePassInWords) {
  EXPECT_EQ(DescribeConvolution(kShape, ConvolutionPass::kDataGradient, ConvolutionType::kBf16),
            "data gradient of a 3x3/2 convolution 64->128 of 32 images of 16x16 in bf16");
}

}  // namespace
}  // namespace lockstep
