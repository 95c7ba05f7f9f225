#include "lib/dataset/batch_loader.h"

#include <algorithm>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/sampler.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"
#include "lib/testing/thread_shortage.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CanRefuseThreads;
using ::lockstep::testing::InChildProcess;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RefuseThreads;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

LoaderOptions Options(uint32_t batch_size, uint32_t workers) {
  LoaderOptions options;
  options.batch_size = batch_size;
  options.workers = workers;
  options.seed = 5;
  options.mean = {0.4914f, 0.4822f, 0.4465f};
  options.std = {0.2023f, 0.1994f, 0.2010f};
  return options;
}

// Returns all batches of the epoch that was started.
std::vector<Batch> TakeAll(BatchLoader& loader) {
  std::vector<Batch> batches;
  while (true) {
    Batch batch;
    const absl::StatusOr<bool> more = loader.Next(&batch);
    EXPECT_THAT(more, IsOk());
    if (!more.ok() || !*more) {
      return batches;
    }
    batches.push_back(std::move(batch));
  }
}

void ExpectSame(const std::vector<Batch>& a, const std::vector<Batch>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].size, b[i].size);
    EXPECT_TRUE(a[i].images == b[i].images) << "batch " << i;  // floats compared exactly; not printed: 3,072 per image
    EXPECT_EQ(a[i].labels, b[i].labels);
  }
}

TEST(BatchLoaderTest, OneBatchOfOneImage) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  BatchLoader loader(set, Options(1, 0));
  loader.StartEpoch(4, {2});
  const std::vector<Batch> batches = TakeAll(loader);
  ASSERT_THAT(batches, SizeIs(1));
  EXPECT_THAT(batches[0].labels, ElementsAre(2));
  std::vector<float> expected(kImageBytes);
  AugmentImage(&set.pixels[2 * kImageBytes], DrawAugmentation(5, 4, 2),
               MakeNormalizationTable(Options(1, 0).mean, Options(1, 0).std), expected.data());
  EXPECT_EQ(batches[0].images, expected);
}

TEST(BatchLoaderTest, AugmentsByTheRule) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  LoaderOptions options = Options(3, 1);
  options.rule = {CropBorder::kReflect, FlipRule::kAlternating, 12};
  BatchLoader loader(set, options);
  const NormalizationTable table = MakeNormalizationTable(options.mean, options.std);
  for (const uint32_t epoch : {0u, 1u}) {
    loader.StartEpoch(epoch, {2, 0, 1});
    const std::vector<Batch> batches = TakeAll(loader);
    ASSERT_THAT(batches, SizeIs(1));
    std::vector<float> expected(kImageBytes);
    AugmentImage(&set.pixels[2 * kImageBytes], DrawAugmentation(5, epoch, 2, options.rule), table, expected.data());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), batches[0].images.begin())) << epoch;
  }
}

TEST(BatchLoaderTest, RefusesARuleThatTheImagesDoNotFit) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  LoaderOptions options = Options(3, 0);
  options.rule.cutout = 33;
  BatchLoader loader(set, options);
  loader.StartEpoch(0, {0});
  Batch batch;
  EXPECT_THAT(loader.Next(&batch), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cutout of 33 pixels")));
}

TEST(BatchLoaderTest, WithoutAugmentationOnlyNormalises) {
  const ImageSet set = SmallImageSet(proto::TEST, 2);
  LoaderOptions options = Options(2, 1);
  options.augment = false;
  BatchLoader loader(set, options);
  loader.StartEpoch(0, {0, 1});
  const std::vector<Batch> batches = TakeAll(loader);
  ASSERT_THAT(batches, SizeIs(1));
  for (uint32_t i = 0; i < 2 * kImageBytes; ++i) {
    const uint32_t c = i % kImageBytes / kPlaneBytes;
    ASSERT_EQ(batches[0].images[i], (static_cast<float>(set.pixels[i]) / 255.0f - options.mean[c]) / options.std[c]);
  }
}

TEST(BatchLoaderTest, TheSameBatchesWhateverTheNumberOfWorkers) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 101);
  BatchLoader alone(set, Options(8, 0));
  for (const uint32_t workers : {1, 2, 4}) {
    BatchLoader helped(set, Options(8, workers));
    for (uint32_t epoch = 0; epoch < 3; ++epoch) {
      alone.StartEpoch(epoch, EpochOrder(101, 5, epoch));
      helped.StartEpoch(epoch, EpochOrder(101, 5, epoch));
      ExpectSame(TakeAll(helped), TakeAll(alone));
    }
  }
}

TEST(BatchLoaderTest, EpochsDiffer) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 8);
  BatchLoader loader(set, Options(8, 2));
  loader.StartEpoch(0, EpochOrder(8, 1, 0));
  const std::vector<Batch> first = TakeAll(loader);
  loader.StartEpoch(1, EpochOrder(8, 1, 0));  // the same order, but other crops
  EXPECT_FALSE(TakeAll(loader)[0].images == first[0].images);
}

TEST(BatchLoaderTest, TheTailIsShorterOrDropped) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 10);
  for (const bool drop_last : {false, true}) {
    LoaderOptions options = Options(4, 2);
    options.drop_last = drop_last;
    BatchLoader loader(set, options);
    EXPECT_EQ(loader.BatchCount(), drop_last ? 2u : 3u);
    loader.StartEpoch(0, EpochOrder(10, 0, 0));
    EXPECT_EQ(loader.BatchCount(), drop_last ? 2u : 3u);
    const std::vector<Batch> batches = TakeAll(loader);
    ASSERT_THAT(batches, SizeIs(drop_last ? 2 : 3));
    EXPECT_EQ(batches.back().size, drop_last ? 4u : 2u);
    EXPECT_THAT(batches.back().labels, SizeIs(batches.back().size));
  }
}

TEST(BatchLoaderTest, ABatchLargerThanTheSet) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  BatchLoader loader(set, Options(100, 2));
  loader.StartEpoch(0, {0, 1, 2});
  const std::vector<Batch> batches = TakeAll(loader);
  ASSERT_THAT(batches, SizeIs(1));
  EXPECT_EQ(batches[0].size, 3u);
}

TEST(BatchLoaderTest, AnEmptyOrderHasNoBatches) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  for (const uint32_t workers : {0, 2}) {
    BatchLoader loader(set, Options(2, workers));
    loader.StartEpoch(0, {});
    EXPECT_EQ(loader.BatchCount(), 0u);
    EXPECT_THAT(TakeAll(loader), SizeIs(0));
  }
}

TEST(BatchLoaderTest, BeforeTheFirstEpochThereIsNothing) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  BatchLoader loader(set, Options(2, 2));
  EXPECT_THAT(TakeAll(loader), SizeIs(0));
}

TEST(BatchLoaderTest, StopsInTheMiddleOfAnEpoch) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 200);
  for (int taken = 0; taken < 4; ++taken) {
    BatchLoader loader(set, Options(1, 4));
    loader.StartEpoch(0, EpochOrder(200, 0, 0));
    Batch batch;
    for (int i = 0; i < taken; ++i) {
      ASSERT_THAT(loader.Next(&batch), IsOk());
    }
  }  // the destructor returns
}

// Batches take milliseconds, so that the workers are in the middle of some when the next epoch starts.
TEST(BatchLoaderTest, ANewEpochDropsTheRestOfTheOld) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 200);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < 2000; ++i) {
    order.push_back(i % 200);
  }
  BatchLoader alone(set, Options(250, 0));
  BatchLoader helped(set, Options(250, 4));
  for (uint32_t epoch = 1; epoch <= 4; ++epoch) {
    helped.StartEpoch(100, order);
    Batch batch;
    ASSERT_THAT(helped.Next(&batch), IsOk());
    helped.StartEpoch(epoch, order);
    alone.StartEpoch(epoch, order);
    ExpectSame(TakeAll(helped), TakeAll(alone));
  }
}

TEST(BatchLoaderTest, AWorkersFailureIsAStatusAtItsBatch) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  for (const uint32_t workers : {0, 3}) {
    BatchLoader loader(set, Options(2, workers));
    loader.StartEpoch(7, {0, 1, 2, 3});
    Batch batch;
    EXPECT_THAT(loader.Next(&batch), IsOk());
    for (int again = 0; again < 2; ++again) {
      EXPECT_THAT(loader.Next(&batch), StatusIs(absl::StatusCode::kInvalidArgument,
                                                HasSubstr("batch 1 of epoch 7 needs image 3, but there are 3")));
    }
    loader.StartEpoch(8, {2});
    EXPECT_THAT(TakeAll(loader), SizeIs(1));
  }
}

TEST(BatchLoaderTest, OptionsThatCannotWorkAreNamed) {
  const ImageSet set = SmallImageSet(proto::TRAIN, 3);
  const auto next = [&set](const LoaderOptions& options) {
    BatchLoader loader(set, options);
    loader.StartEpoch(0, {0});
    Batch batch;
    return loader.Next(&batch);
  };
  EXPECT_THAT(next(Options(0, 2)), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("batch size")));
  EXPECT_THAT(next(Options(1, 1000)), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 256 workers")));
  LoaderOptions options = Options(1, 2);
  options.prefetch = 0;
  EXPECT_THAT(next(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("prefetch")));
  options = Options(1, 2);
  options.std[1] = 0;
  EXPECT_THAT(next(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("channel 1 has")));
}

TEST(BatchLoaderTest, NormalisesAsTheLabWithMeanAndImageStd) {
  LoaderOptions options;
  ASSERT_THAT(NormalizeAsTrained(SmallImageSet(proto::TRAIN, 1).info, options), IsOk());
  EXPECT_THAT(options.mean, ElementsAre(0.5f, 0.5f, 0.5f));
  EXPECT_THAT(options.std, ElementsAre(0.125f, 0.25f, 0.375f));
  EXPECT_THAT(NormalizeAsTrained(proto::DatasetInfo(), options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("statistics")));
}

TEST(BatchLoaderTest, NoThreadToBeHadIsAnError) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  const ImageSet set = SmallImageSet(proto::TRAIN, 4);
  const auto next = [&set](uint32_t workers) {
    return InChildProcess([&] {
      RefuseThreads();
      BatchLoader loader(set, Options(2, workers));
      loader.StartEpoch(0, {0, 1, 2, 3});
      Batch batch;
      return loader.Next(&batch).status().ToString();
    });
  };
  EXPECT_THAT(next(2), StartsWith("UNAVAILABLE: cannot start a thread"));
  EXPECT_EQ(next(0), "OK");
}

}  // namespace
}  // namespace lockstep
