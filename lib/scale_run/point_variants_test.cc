#include "lib/scale_run/point_variants.h"

#include <algorithm>

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

proto::ScaleSpec Spec() {
  proto::ScaleSpec spec;
  EXPECT_THAT(SetWords("mode", {"ddp", "dp"}, spec), IsOk());
  EXPECT_THAT(SetWords("preset", {"lab"}, spec), IsOk());
  EXPECT_THAT(SetWords("gradient_compression", {"none", "bf16"}, spec), IsOk());
  return spec;
}

TEST(SetWordsTest, TheFirstIsTheFields) {
  const proto::ScaleSpec spec = Spec();
  EXPECT_EQ(spec.mode(), proto::DDP);
  EXPECT_EQ(spec.preset(), "lab");
  EXPECT_EQ(spec.gradient_compression(), "none");
  ASSERT_THAT(spec.several(), SizeIs(2));
  EXPECT_EQ(spec.several(0).key(), "mode");
  EXPECT_THAT(spec.several(1).word(), ElementsAre("none", "bf16"));
}

TEST(SetWordsTest, RefusesAWordTwiceAndOneThatIsNone) {
  proto::ScaleSpec spec;
  EXPECT_THAT(SetWords("buffers", {"local", "local"}, spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--buffers holds local twice")));
  EXPECT_THAT(SetWords("mode", {"ddp", "pipeline"}, spec),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("pipeline")));
}

TEST(VariantsOfTest, AreTheProductTheFirstKeySlowest) {
  const proto::ScaleSpec spec = Spec();
  std::vector<std::string> texts;
  for (const proto::ScaleSpec& variant : VariantsOf(spec)) {
    texts.push_back(VariantText(spec, variant));
    EXPECT_THAT(variant.several(), IsEmpty());
    EXPECT_EQ(variant.preset(), "lab");
  }
  EXPECT_THAT(texts, ElementsAre("--mode=ddp --gradient_compression=none", "--mode=ddp --gradient_compression=bf16",
                                 "--mode=dp --gradient_compression=none", "--mode=dp --gradient_compression=bf16"));
}

TEST(VariantsOfTest, WithoutListsThereIsOneWithoutAName) {
  proto::ScaleSpec spec;
  spec.set_preset("fast");
  ASSERT_THAT(VariantsOf(spec), SizeIs(1));
  EXPECT_EQ(VariantsOf(spec)[0].preset(), "fast");
  EXPECT_EQ(VariantText(spec, spec), "");
}

proto::ScalePoint Point() {
  proto::ScalePoint point;
  point.set_ranks(2);
  point.set_batch_per_device(32);
  point.set_reduction(proto::ALL_REDUCE);
  point.set_mode(proto::DDP);
  point.set_preset("lab");
  point.set_reducer("own");
  return point;
}

TEST(PointKeyTest, IsTheSameHoweverThePointWasMeasured) {
  proto::ScalePoint measured = Point();
  measured.set_outcome(proto::COMPLETED);
  measured.mutable_epoch_seconds()->add_value(1);
  EXPECT_EQ(PointKey(measured), PointKey(Point()));
}

TEST(PointKeyTest, DiffersWithAllThatMakesPointsDiffer) {
  std::vector<proto::ScalePoint> others(11, Point());
  others[0].set_ranks(4);
  others[1].set_batch_per_device(64);
  others[2].set_reduction(proto::ABLATED);
  others[3].set_mode(proto::DP);
  others[4].set_preset("fast");
  others[5].set_gradient_compression("bf16");
  others[6].set_buffers("broadcast");
  others[7].set_reducer("c10d");
  others[8].set_bucket_plan("auto");
  others[9].set_row("128");
  others[10].mutable_training()->set_seed(1);
  others.push_back(Point());
  std::vector<std::string> keys;
  for (const proto::ScalePoint& other : others) {
    keys.push_back(PointKey(other));
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

TEST(AreSameBaseTest, ForgetsTheReducerAndNotTheTraining) {
  proto::ScalePoint a = Point();
  a.set_ranks(1);
  a.set_reduction(proto::PLAIN);
  proto::ScalePoint b = a;
  b.set_mode(proto::DP);
  b.set_reducer("c10d");
  b.set_gradient_compression("bf16");
  EXPECT_TRUE(AreSameBase(a, b));
  b.set_preset("fast");
  EXPECT_FALSE(AreSameBase(a, b));
  b = a;
  b.mutable_training()->set_seed(1);
  EXPECT_FALSE(AreSameBase(a, b));
  b = a;
  b.set_reduction(proto::ALL_REDUCE);
  EXPECT_FALSE(AreSameBase(a, b));
}

}  // namespace
}  // namespace lockstep
