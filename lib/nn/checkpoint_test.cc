#include "lib/nn/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>

#include "lib/dataset/normalization.h"
#include "lib/nn/load_checkpoint.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::shared_ptr<Model> Make(const std::string& name, uint64_t seed) { return *MakeModel(name, seed); }

void ExpectSameState(const Model& a, const Model& b) {
  for (const auto& parameter : a.named_parameters()) {
    EXPECT_TRUE(at::equal(parameter.value(), b.named_parameters()[parameter.key()])) << parameter.key();
  }
  for (const auto& buffer : a.named_buffers()) {
    EXPECT_TRUE(at::equal(buffer.value(), b.named_buffers()[buffer.key()])) << buffer.key();
  }
}

TEST(CheckpointTest, RoundTripsWeightsAndBatchNormStatistics) {
  const std::string path = TempPath("model.pt");
  const std::shared_ptr<Model> saved = Make("resnet18", 1);
  saved->forward(at::randn({4, kChannels, kImageSize, kImageSize}));  // updates the running statistics
  ASSERT_THAT(SaveCheckpoint(*saved, {}, path, ReplaceAnything()), IsOk());
  const std::shared_ptr<Model> loaded = Make("resnet18", 2);
  ASSERT_THAT(LoadCheckpoint(*loaded, path), IsOk());
  ExpectSameState(*saved, *loaded);
  EXPECT_EQ(loaded->named_buffers()["layer4.1.bn2.num_batches_tracked"].item<int64_t>(), 1);
  EXPECT_FALSE(FileExists(path + ".part"));
}

TEST(CheckpointTest, SameWeightsGiveTheSameBytes) {
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, TempPath("a.pt"), ReplaceAnything()), IsOk());
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, TempPath("b.pt"), ReplaceAnything()), IsOk());
  EXPECT_EQ(ReadFile(TempPath("a.pt")), ReadFile(TempPath("b.pt")));
}

TEST(CheckpointTest, ReportsTheFirstDifferenceFromAnotherNetwork) {
  const std::string path = TempPath("lenet5.pt");
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, path, ReplaceAnything()), IsOk());
  EXPECT_THAT(LoadCheckpoint(*Make("lenet5_bias", 1), path),
              StatusIs(absl::StatusCode::kFailedPrecondition, AllOf(HasSubstr(path), HasSubstr("lacks conv1.bias"))));
  EXPECT_THAT(LoadCheckpoint(*Make("resnet18", 1), path),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("conv1.weight: expected (64, 3, 3, 3), found (6, 3, 5, 5)")));
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5_bias", 1), {}, path, ReplaceAnything()), IsOk());
  EXPECT_THAT(LoadCheckpoint(*Make("lenet5", 1), path),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("holds conv1.bias")));
}

TEST(CheckpointTest, ARefusedFileChangesNothing) {
  const std::string path = TempPath("lenet5.pt");
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, path, ReplaceAnything()), IsOk());
  const std::shared_ptr<Model> model = Make("lenet5_bias", 2);
  EXPECT_FALSE(LoadCheckpoint(*model, path).ok());
  ExpectSameState(*model, *Make("lenet5_bias", 2));
}

TEST(CheckpointTest, CarriesTheNormalizationOfTheTraining) {
  const std::string path = TempPath("lenet5.pt");
  const proto::Normalization normalization = *ParseNormalization("0.4914,0.4822,0.4465/0.1,0.2,0.3");
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 1), normalization, path, ReplaceAnything()), IsOk());
  const auto loaded = LoadCheckpointBytes(*Make("lenet5", 2), *ReadCheckpointBytes(path));
  ASSERT_THAT(loaded, IsOk());
  ASSERT_TRUE(loaded->normalization.has_value());
  EXPECT_EQ(loaded->normalization->source(), "custom");
  EXPECT_TRUE(SameNormalization(*loaded->normalization, normalization));  // the text preserves every bit
}

TEST(CheckpointTest, AnUnknownNormalizationIsNotInvented) {
  const std::string path = TempPath("lenet5.pt");
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, path, ReplaceAnything()), IsOk());
  const auto loaded = LoadCheckpointBytes(*Make("lenet5", 2), *ReadCheckpointBytes(path));
  ASSERT_THAT(loaded, IsOk());
  EXPECT_FALSE(loaded->normalization.has_value());
}

TEST(CheckpointTest, ReplacesOnlyArchivesOfItsOwn) {
  const std::string path = TempPath("lenet5.pt");
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, path, ReplaceAnything()), IsOk());
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 2), {}, path, ReplaceCheckpoint()), IsOk());
  std::string of_python = ReadFile(path);
  for (size_t at; (at = of_python.find("archive/lockstep")) != std::string::npos;) {
    of_python.replace(at, 16, "archive/data.pkl");
  }
  WriteFile(path, of_python);
  EXPECT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, path, ReplaceCheckpoint()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(path)));
  EXPECT_EQ(ReadFile(path), of_python);
}

TEST(CheckpointTest, MissingFileAndMissingFolder) {
  EXPECT_THAT(LoadCheckpoint(*Make("lenet5", 1), TempPath("none.pt")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none.pt")));
  EXPECT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, TempPath("no_folder") + "/x.pt", ReplaceAnything()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no_folder")));
}

TEST(CheckpointTest, NotAZipFile) {
  const std::string path = TempPath("text.pt");
  for (const std::string& bytes : {std::string(), std::string("hello"), std::string(100000, 'x')}) {
    WriteFile(path, bytes);
    EXPECT_THAT(LoadCheckpoint(*Make("lenet5", 1), path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("text.pt")));
  }
}

TEST(CheckpointTest, EveryCutIsAnErrorAndChangesNothing) {
  const std::string path = TempPath("cut.pt");
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, path, ReplaceAnything()), IsOk());
  const std::string whole = ReadFile(path);
  const std::shared_ptr<Model> model = Make("lenet5", 2);
  for (size_t size = 0; size < whole.size(); size += 4999) {
    WriteFile(path, whole.substr(0, size));
    EXPECT_FALSE(LoadCheckpoint(*model, path).ok()) << size;
  }
  ExpectSameState(*model, *Make("lenet5", 2));
}

TEST(CheckpointTest, AFlippedBitInTheNumbersIsFound) {
  const std::string path = TempPath("flipped.pt");
  ASSERT_THAT(SaveCheckpoint(*Make("lenet5", 1), {}, path, ReplaceAnything()), IsOk());
  std::string bytes = ReadFile(path);
  bytes[bytes.size() / 2] ^= 1;  // changes fc1.weight, which is most of the file
  WriteFile(path, bytes);
  EXPECT_THAT(LoadCheckpoint(*Make("lenet5", 2), path),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("flipped.pt"), HasSubstr("data/2"))));
}

}  // namespace
}  // namespace lockstep
