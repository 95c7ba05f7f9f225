#include "lib/base/flag_values.h"

#include <limits>
#include <optional>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/flag_range.h"
#include "lib/proto/sweep.pb.h"

RANGED_FLAG(std::vector<std::string>, ranks, {}, 0, 4294967295, "");
RANGED_FLAG(std::vector<std::string>, factor, {}, 0, 10, "");

// Flags that are named like fields of TrainingSpec and SweepSpec.
ABSL_FLAG(std::string, model, "resnet18", "");
ABSL_FLAG(std::string, device, "auto", "");
ABSL_FLAG(std::string, precision, "", "");
ABSL_FLAG(std::string, schedule, "constant", "");
ABSL_FLAG(std::optional<bool>, fused_sums, std::nullopt, "");
ABSL_FLAG(bool, augment, true, "");
RANGED_FLAG(uint32_t, repeats, 0, 0, 10, "");
RANGED_FLAG(uint64_t, seed, 0, 0, 1e19L, "");
RANGED_FLAG(std::optional<uint32_t>, validation_images, std::nullopt, 0, 10, "");
RANGED_FLAG(double, momentum, 0.9, 0, 1, "");
RANGED_FLAG(std::vector<std::string>, lr_milestones, {}, 0, 10, "");
RANGED_FLAG(double, evaluate_every, 0, 0, 10, "");  // type differs from the field's, a uint32

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(ParseNumberListTest, TakesNoneOneAndMany) {
  EXPECT_THAT(*ParseNumberList("ranks", {}), IsEmpty());
  EXPECT_THAT(*ParseNumberList("ranks", {"4294967295"}), ElementsAre(4294967295u));
  EXPECT_THAT(*ParseNumberList("ranks", {"1", "2", "4"}), ElementsAre(1, 2, 4));
}

TEST(ParseNumberListTest, NamesTheFlagAndWhatIsNoNumber) {
  for (const char* text : {"", "x", "-1", "1.5", "4294967296", "1 2"}) {
    const absl::Status status = ParseNumberList("ranks", {"1", text}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(Message(status), HasSubstr(std::string("--ranks: '") + text + "'"));
  }
}

TEST(ParseDecimalListTest, TakesFractions) {
  EXPECT_THAT(*ParseDecimalList("factor", {"0.5", "2", "1e-3"}), ElementsAre(0.5, 2, 1e-3));
  EXPECT_THAT(*ParseDecimalList("factor", {}), IsEmpty());
}

TEST(ParseDecimalListTest, NamesTheFlagAndWhatIsNoNumber) {
  for (const char* text : {"", "x", "inf", "nan", "1 2"}) {
    EXPECT_THAT(Message(ParseDecimalList("factor", {"1", text}).status()),
                HasSubstr(std::string("--factor: '") + text + "'"));
  }
}

TEST(ParseMebibytesTest, GivesBytes) {
  EXPECT_EQ(*ParseMebibytes("bucket_mib", 0), 0u);
  EXPECT_EQ(*ParseMebibytes("bucket_mib", 25), 26'214'400u);
  EXPECT_EQ(*ParseMebibytes("bucket_mib", 0.5), 524'288u);
}

TEST(ParseMebibytesTest, RefusesWhatIsNoSize) {
  for (const double size :
       {-1.0, 1e6 + 1, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(Message(ParseMebibytes("bucket_mib", size).status()), HasSubstr("--bucket_mib")) << size;
  }
}

TEST(ParseEnumTest, TakesTheNamesInLowerCase) {
  EXPECT_EQ(*ParseEnum<proto::Precision>("precision", "bf16"), proto::BF16);
  EXPECT_EQ(*ParseEnum<proto::Schedule>("schedule", "one_cycle"), proto::ONE_CYCLE);
}

TEST(ParseEnumTest, NamesTheFlagAndAllWords) {
  EXPECT_EQ(Message(ParseEnum<proto::Precision>("precision", "fp16").status()),
            "--precision=fp16: expected fp32, tf32 or bf16");
  for (const char* word : {"", "BF16", "precision_unspecified", "3"}) {
    EXPECT_EQ(ParseEnum<proto::Precision>("precision", word).status().code(), absl::StatusCode::kInvalidArgument)
        << word;
  }
  EXPECT_EQ(Message(ParseEnum<proto::StepKind>("step", "both").status()), "--step=both: expected autograd or fused");
  EXPECT_EQ(Message(ParseEnum<proto::Schedule>("schedule", "step").status()),
            "--schedule=step: expected constant, multistep, cosine, one_cycle or linear");
}

TEST(CheckFlagWordTest, NamesTheFlagAndAllWords) {
  EXPECT_TRUE(CheckFlagWord("buffers", "broadcast", {"local", "broadcast"}).ok());
  EXPECT_EQ(Message(CheckFlagWord("buffers", "none", {"local", "broadcast"})),
            "--buffers=none: expected local or broadcast");
}

TEST(SetFieldsFromFlagsTest, LeavesUnsetWhatWasLeftOut) {
  proto::TrainingSpec spec;
  ASSERT_TRUE(SetFieldsFromFlags(spec, {"device"}).ok());
  EXPECT_EQ(spec.ShortDebugString(), "model: \"resnet18\" augment: true momentum: 0.9 schedule: CONSTANT");
}

TEST(SetFieldsFromFlagsTest, TakesEveryType) {
  const absl::FlagSaver saver;
  absl::SetFlag(&FLAGS_model, "lenet5");
  absl::SetFlag(&FLAGS_precision, "tf32");
  absl::SetFlag(&FLAGS_fused_sums, false);
  absl::SetFlag(&FLAGS_augment, false);
  absl::SetFlag(&FLAGS_repeats, 3);
  absl::SetFlag(&FLAGS_seed, 1ull << 40);
  absl::SetFlag(&FLAGS_lr_milestones, {"2", "4"});
  absl::SetFlag(&FLAGS_validation_images, 4u);
  proto::TrainingSpec spec;
  ASSERT_TRUE(SetFieldsFromFlags(spec, {"device"}).ok());
  EXPECT_EQ(spec.ShortDebugString(),
            "model: \"lenet5\" precision: TF32 momentum: 0.9 seed: 1099511627776 repeats: 3 schedule: CONSTANT "
            "lr_milestones: 2 lr_milestones: 4 fused_sums: false validation_images: 4");
}

TEST(SetFieldsFromFlagsTest, ReportsWhatIsNoValueOfTheField) {
  const absl::FlagSaver saver;
  proto::TrainingSpec spec;
  EXPECT_EQ(Message(SetFieldsFromFlags(spec)), "--device=auto: expected cpu or cuda");
  absl::SetFlag(&FLAGS_schedule, "");  // not allowed: the default is not empty
  EXPECT_EQ(SetFieldsFromFlags(spec, {"device"}).code(), absl::StatusCode::kInvalidArgument);
  absl::SetFlag(&FLAGS_schedule, "cosine");
  absl::SetFlag(&FLAGS_lr_milestones, {"2", "x"});
  EXPECT_THAT(Message(SetFieldsFromFlags(spec, {"device"})), HasSubstr("--lr_milestones: 'x' is not a number"));
  proto::SweepSpec sweep;  // field `model` is a message, so --model does not set it
  EXPECT_EQ(SetFieldsFromFlags(sweep).code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace lockstep
