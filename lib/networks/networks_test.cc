#include "lib/networks/networks.h"

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

void ExpectRefused(const std::string& model, const std::string& message) {
  EXPECT_THAT(ParseModel(model), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message))) << model;
}

TEST(NetworksTest, ParsesEachOfItsWords) {
  for (const std::string& word : ModelWords()) {
    EXPECT_THAT(ParseModel(word), IsOk()) << word;
  }
  EXPECT_EQ(ParseModel("resnet34")->network->name, "resnet34");
  EXPECT_EQ(ParseModel("resnet34")->width, 0);
}

TEST(NetworksTest, ParsesASize) {
  const absl::StatusOr<NetworkChoice> mlp = ParseModel("mlp:512x2");
  ASSERT_THAT(mlp, IsOk());
  EXPECT_EQ(mlp->network->name, "mlp");
  EXPECT_EQ(mlp->width, 512);
  EXPECT_EQ(mlp->depth, 2);
}

TEST(NetworksTest, TakesTheFileOfAModule) {
  EXPECT_TRUE(IsModelFile("nets/net.pt"));
  EXPECT_FALSE(IsModelFile("resnet18"));
  EXPECT_THAT(ParseModel("nets/net.pt"), IsOk());
  EXPECT_EQ(ModelTitle("nets/net.pt"), "net.pt");
  EXPECT_EQ(ModelTitle("net.pt"), "net.pt");
  EXPECT_FALSE(HasBatchNorm("net.pt"));
}

TEST(NetworksTest, RefusesUnknownNamesAndSizes) {
  ExpectRefused("resnet19", "did you mean --model=resnet18?");
  ExpectRefused("", "--model=: expected resnet18");
  ExpectRefused("mlp:", "expected mlp:WIDTHxDEPTH");
  for (const char* const model : {"mlp", "mlp:512", "mlp:0x2", "mlp:512x0", "mlp:16385x1", "mlp:1x101", "mlp:2x3x4",
                                  "mlp:axb", "mlp:-1x2", "mlp:1024 x 3 layers"}) {
    ExpectRefused(model, "such as mlp:1024x3");
  }
  ExpectRefused("resnet18:2x3", "resnet18 has no size; give --model=resnet18");
}

TEST(NetworksTest, KnowsBatchNormTitlesAndRates) {
  EXPECT_TRUE(HasBatchNorm("resnet18"));
  EXPECT_FALSE(HasBatchNorm("resnet18_plain"));
  EXPECT_FALSE(HasBatchNorm("mlp:8x1"));
  EXPECT_FALSE(HasBatchNorm("a network of a later version"));
  EXPECT_EQ(ModelTitle("lenet5"), "LeNet-5");
  EXPECT_EQ(ModelTitle("mlp:1024x3"), "MLP 1024x3");
  EXPECT_EQ(ModelTitle("a network of a later version"), "a network of a later version");
  EXPECT_EQ(DefaultLearningRate("resnet18"), 0.1);
  EXPECT_EQ(DefaultLearningRate("lenet5"), 0.01);
}

}  // namespace
}  // namespace lockstep
