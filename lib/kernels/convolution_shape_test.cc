#include "lib/kernels/convolution_shape.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr ConvolutionShape kShape = {32, 64, 16, 128, 3, 2};

// Returns the error message after `change` is applied to a valid shape.
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
  const auto refused = [](const ConvolutionShape& shape) {
    return CheckConvolutionShape(shape).code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_FALSE(refused({50'000, 64, 32, 64, 3, 1}));          // the whole data set as one batch
  EXPECT_FALSE(refused({(1u << 19) - 1, 64, 32, 64, 3, 1}));  // 2^35 - 2^16 elements
  EXPECT_TRUE(refused({1u << 19, 64, 32, 64, 3, 1}));         // 2^35 elements
  EXPECT_FALSE(refused({1, 1, 1u << 15, 1, 3, 1}));           // one image of 2^30 elements
  EXPECT_TRUE(refused({2, 1, 1u << 15, 1, 3, 1}));  // two such images cannot be divided: 8 images are too large
  EXPECT_TRUE(refused({1, 4, 1u << 31, 4, 1, 1}));
  EXPECT_TRUE(refused({1, 1u << 31, 2, 1u << 31, 3, 1}));
  EXPECT_TRUE(refused({1, 1u << 15, 1, 1u << 16, 1, 1}));  // weights of 2^31 elements
}

std::vector<uint32_t> PartSizes(const ConvolutionShape& shape, uint64_t max_elements) {
  std::vector<uint32_t> sizes;
  uint32_t next = 0;
  for (const ConvolutionPart& part : SplitConvolution(shape, max_elements)) {
    EXPECT_EQ(part.first, next);
    next += part.images;
    sizes.push_back(part.images);
  }
  EXPECT_TRUE(sizes.empty() || next == shape.images);
  return sizes;
}

TEST(ConvolutionShapeTest, SplitsTheBatchWhereATensorHasTooManyElements) {
  using Sizes = std::vector<uint32_t>;
  const auto of_resnet = [](uint32_t images) {
    return PartSizes({images, 64, 32, 64, 3, 1}, kMaxConvolutionElements);  // 2^16 elements per image
  };
  EXPECT_EQ(of_resnet(32), Sizes{32});
  EXPECT_EQ(of_resnet(32'767), Sizes{32'767});  // 2^31 - 2^16 elements
  EXPECT_EQ(of_resnet(32'768), (Sizes{16'384, 16'384}));
  EXPECT_EQ(of_resnet(32'769), (Sizes{16'392, 16'377}));
  EXPECT_EQ(of_resnet(50'000), (Sizes{25'000, 25'000}));
  EXPECT_EQ(of_resnet(65'535), (Sizes{21'848, 21'848, 21'839}));  // two parts would have 32,768 images
  // The larger of the two activations counts: 32x32x64 in or out, 16x16x128.
  EXPECT_EQ(PartSizes({32'768, 64, 32, 128, 3, 2}, kMaxConvolutionElements), (Sizes{16'384, 16'384}));
  EXPECT_EQ(PartSizes({32'768, 32, 32, 64, 1, 1}, kMaxConvolutionElements), (Sizes{16'384, 16'384}));
  EXPECT_EQ(PartSizes({32'768, 128, 16, 128, 3, 1}, kMaxConvolutionElements), Sizes{32'768});
}

TEST(ConvolutionShapeTest, PartsBeginAtMultiplesOfEight) {
  using Sizes = std::vector<uint32_t>;
  EXPECT_EQ(PartSizes({20, 1, 1, 1, 1, 1}, 20), Sizes{20});
  EXPECT_EQ(PartSizes({20, 1, 1, 1, 1, 1}, 19), (Sizes{16, 4}));
  EXPECT_EQ(PartSizes({20, 1, 1, 1, 1, 1}, 15), (Sizes{8, 8, 4}));
  EXPECT_EQ(PartSizes({20, 1, 1, 1, 1, 1}, 8), (Sizes{8, 8, 4}));
  EXPECT_EQ(PartSizes({20, 1, 1, 1, 1, 1}, 7), Sizes{});
}

TEST(ConvolutionShapeTest, AThousandImagesAreTimedAtMost) {
  EXPECT_EQ(TunedShape({1024, 64, 4, 64, 3, 1}).images, 1024u);
  EXPECT_EQ(TunedShape({5000, 64, 4, 64, 3, 1}).images, 1024u);
  EXPECT_EQ(TunedShape({5000, 64, 4, 128, 3, 1}).out_channels, 128u);
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
