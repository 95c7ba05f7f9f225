// Tests of the stage as a function from options and files to a record file.
#include "lib/quantize/quantize.h"

#include <unistd.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/dataset/normalization.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/device/device.h"
#include "lib/int8_cpu/isa.h"
#include "lib/int8_cuda/cuda_runner.h"
#include "lib/nn/checkpoint.h"
#include "lib/nn/model.h"
#include "lib/record/digest.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

std::string WriteDataset() {
  const std::string path = TempPath("dataset.rec");
  proto::Header header;
  header.set_schema("lockstep.proto.DatasetFile");
  header.set_schema_version(1);
  EXPECT_THAT(WriteRecordFile(path, header, ToRecords(SmallDataset(30, 20))), IsOk());
  return path;
}

std::string WriteCheckpoint(const std::string& name, const proto::Normalization& normalization = {}) {
  const std::string path = TempPath(name + ".pt");
  const auto model = MakeModel(name, /*seed=*/5);
  EXPECT_THAT(model, IsOk());
  EXPECT_THAT(SaveCheckpoint(**model, normalization, path, ReplaceAnything()), IsOk());
  return path;
}

// Returns options for both networks on a small data set.
QuantizeOptions SmallOptions() {
  QuantizeOptions options;
  options.input = WriteDataset();
  options.checkpoints = {WriteCheckpoint("lenet5"), WriteCheckpoint("lenet5_bias")};
  options.output = TempPath("quantized.rec");
  options.spec.set_calibration_images(10);
  return options;
}

absl::StatusOr<RecordFile<proto::QuantizedRecord>> ReadOutput(const QuantizeOptions& options) {
  return ReadRecordFile<proto::QuantizedFile>(options.output);
}

TEST(RunQuantizeTest, WritesTheSpecAndEachNetwork) {
  const QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  const auto file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(file->records, SizeIs(3));
  EXPECT_EQ(file->records[0].spec().calibration_images(), 10u);
  EXPECT_EQ(file->records[0].spec().test_images(), 20u);
  EXPECT_EQ(file->records[1].network().name(), "lenet5");
  EXPECT_EQ(file->records[2].network().name(), "lenet5_bias");
}

// Weights without a normalization get that of the data set. The record and the console report that it was assumed; the
// console names the flag.
TEST(RunQuantizeTest, AnAssumedNormalizationIsReported) {
  QuantizeOptions options = SmallOptions();
  options.checkpoints = {WriteCheckpoint("lenet5"), WriteCheckpoint("lenet5_bias", *ParseNormalization("none"))};
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunQuantize(options), IsOk());
  const std::string console = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(console, HasSubstr("warning: lenet5: " + options.checkpoints[0] +
                                 " does not contain the normalization of its images"));
  EXPECT_THAT(console, HasSubstr("--normalization="));
  EXPECT_THAT(console, Not(HasSubstr(options.checkpoints[1] + ": warning")));
  EXPECT_THAT(console, Not(HasSubstr("warning: lenet5_bias: " + options.checkpoints[1])));
  EXPECT_THAT(console, HasSubstr("lenet5_bias: images normalized by mean 0, std 1 (checkpoint)"));
  auto file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->records[1].network().normalization_source(), "assumed");
  EXPECT_EQ(file->records[2].network().normalization_source(), "checkpoint");
  EXPECT_EQ(file->records[2].network().std(0), 1);

  options.spec.set_normalization("none");
  ASSERT_THAT(RunQuantize(options), IsOk());
  file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->records[0].spec().normalization(), "none");
  EXPECT_EQ(file->records[1].network().normalization_source(), "none");
  EXPECT_EQ(file->records[1].network().std(0), 1);

  options.spec.set_normalization("cifar");
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--normalization=cifar")));
}

TEST(RunQuantizeTest, TheHeaderNamesEveryInput) {
  const QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  const auto file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  ASSERT_EQ(file->header.input_size(), 3);
  EXPECT_EQ(file->header.input(0).path(), options.input);
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(file->header.input(i).path(), options.checkpoints[i - 1]);
    EXPECT_EQ(file->header.input(i).sha256(), *Sha256HexOfFile(options.checkpoints[i - 1]));
    EXPECT_GT(file->header.input(i).size_bytes(), 4u * 61'770);
    EXPECT_EQ(file->records[i].network().checkpoint_sha256(), file->header.input(i).sha256());
  }
  EXPECT_NE(file->header.libraries().libtorch(), "");
  EXPECT_EQ(file->header.device_size(), 1);
}

TEST(RunQuantizeTest, ASecondRunIsCachedUnlessAnOptionChanged) {
  QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunQuantize(options), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("cached"));
  options.spec.set_weight_range(proto::THREE_SIGMA);
  ASSERT_THAT(RunQuantize(options), IsOk());
  EXPECT_EQ(ReadOutput(options)->records[0].spec().weight_range(), proto::THREE_SIGMA);
}

// The output file is that of a run killed (kill -9) after the first network.
TEST(RunQuantizeTest, AStoppedRunGoesOn) {
  QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  const auto whole = ReadOutput(options);
  ASSERT_THAT(whole, IsOk());
  unlink(options.output.c_str());
  {
    const auto stopped = RecordWriter::Create(options.output, whole->header);
    ASSERT_THAT((*stopped)->Append(whole->records[0]), IsOk());
    ASSERT_THAT((*stopped)->Append(whole->records[1]), IsOk());
  }
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunQuantize(options), IsOk());
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, AllOf(HasSubstr("resumes after 2 records"), HasSubstr("(from the previous run)")));
  const auto again = ReadOutput(options);
  ASSERT_THAT(again, IsOk());
  ASSERT_THAT(again->records, SizeIs(3));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(again->records[i].SerializeAsString(), whole->records[i].SerializeAsString()) << i;
  }
}

TEST(RunQuantizeTest, ADryRunPrintsThePlanAndWritesNothing) {
  QuantizeOptions options = SmallOptions();
  options.dry_run = true;
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunQuantize(options), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("lenet5 and lenet5_bias"), HasSubstr("10 calibration images"),
                    HasSubstr("20 test images"), HasSubstr("; about "), HasSubstr("s, estimated from "),
                    HasSubstr("quantize: memory: "), HasSubstr("is unknown: ")));
  EXPECT_FALSE(FileExists(options.output));
}

TEST(RunQuantizeTest, ASmallSetIsCalibratedWithAllItsImages) {
  QuantizeOptions options = SmallOptions();
  options.spec.set_calibration_images(400);
  options.spec.set_study_images(5);
  options.default_calibration = true;
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunQuantize(options), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("calibrates with 25 images, not the default of 400"));
  const auto file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->records[0].spec().calibration_images(), 25u);  // 30 training images, of which 5 are for the study
}

TEST(RunQuantizeTest, ARunThatYieldsNoNetworkLeavesNoFile) {
  QuantizeOptions options = SmallOptions();
  options.spec.set_calibration_images(1000);
  EXPECT_THAT(RunQuantize(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--calibration_images=1000")));
  EXPECT_FALSE(FileExists(options.output));
  EXPECT_FALSE(FileExists(options.output + ".part"));
}

TEST(RunQuantizeTest, RefusesOtherClassesAndSizesInOneLine) {
  QuantizeOptions options = SmallOptions();
  Dataset dataset = SmallDataset(30, 20);
  for (ImageSet* set : {&dataset.train, &dataset.test}) {
    set->info.add_class_name("k");
    set->info.add_class_count(0);
  }
  proto::Header header;
  header.set_schema("lockstep.proto.DatasetFile");
  header.set_schema_version(1);
  options.input = TempPath("eleven.rec");
  ASSERT_THAT(WriteRecordFile(options.input, header, ToRecords(dataset)), IsOk());
  EXPECT_THAT(RunQuantize(options),
              StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("expected 10 classes of 32x32 pixels"),
                                                                 HasSubstr("found 11 classes of 32x32 pixels"))));
}

TEST(RunQuantizeTest, RefusesDevicesThatItDoesNotHave) {
  QuantizeOptions options = SmallOptions();
  options.device = "tpu";
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--device=tpu")));
  options.device = "cuda";
  if (ResolveDevice("cuda").ok()) {
    EXPECT_THAT(RunQuantize(options), IsOk());
  } else {
    EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("--device=cuda")));
  }
  options.device = "cpu";
  options.isa = "mma";
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--isa=mma: is for a GPU")));
}

TEST(VerifyQuantizedTest, AGpuGivesTheRecordedLogits) {
  QuantizeOptions options = SmallOptions();
  options.isa = "portable";
  ASSERT_THAT(RunQuantize(options), IsOk());
  options.device = "cuda";
  options.isa = "auto";
  if (!MakeCudaRunner("auto").ok()) {
    EXPECT_THAT(VerifyQuantized(options.output, options),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("--device=cuda --isa=auto: ")));
    return;
  }
  EXPECT_THAT(VerifyQuantized(options.output, options), IsOk());
}

// Returns the record of a fine-tuned network without the time that fine-tuning took.
std::string Untimed(proto::QuantizedRecord record) {
  record.mutable_network()->mutable_fine_tuning()->clear_seconds();
  return record.SerializeAsString();
}

QuantizeOptions FineTuningOptions() {
  QuantizeOptions options = SmallOptions();
  options.spec.set_fine_tune_epochs(2);
  options.spec.set_fine_tune_learning_rate(0.05);
  options.spec.set_fine_tune_batch(8);
  return options;
}

TEST(RunQuantizeTest, AFineTunedNetworkIsTheRecordsOwn) {
  const QuantizeOptions options = FineTuningOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  const auto file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->records[0].spec().fine_tune_batch(), 8u);
  for (int i = 1; i < 3; ++i) {
    const proto::QuantizedNetwork& network = file->records[i].network();
    EXPECT_EQ(network.fine_tuning().steps(), 2u * 4);  // 30 images in batches of 8
    EXPECT_EQ(network.fine_tuning().epoch_loss_size(), 2);
    EXPECT_GT(network.fine_tuning().seconds(), 0);
    EXPECT_EQ(network.fine_tuning().compared_logits(), 10u * 10);
    EXPECT_EQ(network.fine_tuning().different_logits(), 0u);
    EXPECT_EQ(network.step(network.step_size() - 1).stage(), proto::INT8_FINE_TUNED);
    EXPECT_EQ(network.step(network.step_size() - 1).logits_sha256().size(), 64u);
  }
  EXPECT_THAT(VerifyQuantized(options.output), IsOk());
}

// The output file is that of a run killed (kill -9) during the second network's fine-tuning.
TEST(RunQuantizeTest, AStoppedFineTuningGivesTheSameRecord) {
  QuantizeOptions options = FineTuningOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  const auto whole = ReadOutput(options);
  ASSERT_THAT(whole, IsOk());
  unlink(options.output.c_str());
  {
    const auto stopped = RecordWriter::Create(options.output, whole->header);
    ASSERT_THAT((*stopped)->Append(whole->records[0]), IsOk());
    ASSERT_THAT((*stopped)->Append(whole->records[1]), IsOk());
  }
  ASSERT_THAT(RunQuantize(options), IsOk());
  const auto again = ReadOutput(options);
  ASSERT_THAT(again, IsOk());
  ASSERT_THAT(again->records, SizeIs(3));
  EXPECT_EQ(again->records[1].SerializeAsString(), whole->records[1].SerializeAsString());
  EXPECT_EQ(Untimed(again->records[2]), Untimed(whole->records[2]));
}

TEST(RunQuantizeTest, FineTuningThatDivergesLeavesNoFile) {
  QuantizeOptions options = FineTuningOptions();
  options.spec.set_fine_tune_learning_rate(1e30);
  const absl::Status status = RunQuantize(options);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--fine_tune_learning_rate below 1e+30")));
  EXPECT_THAT(std::string(status.message()), ::testing::Not(HasSubstr("\n")));
  EXPECT_FALSE(FileExists(options.output));
}

TEST(RunQuantizeTest, ADryRunReportsFineTuning) {
  QuantizeOptions options = FineTuningOptions();
  options.dry_run = true;
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunQuantize(options), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("fine-tuned for 2 epochs of 30 images, first learning rate 0.05, batch 8"));
}

TEST(RunQuantizeTest, ADryRunReportsAStudy) {
  QuantizeOptions options = SmallOptions();
  options.spec.set_study_images(20);
  options.dry_run = true;
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunQuantize(options), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("a study of each layer on 20 images"));
}

TEST(RunQuantizeTest, AnImportedNetworkCannotBeFineTuned) {
  QuantizeOptions options = FineTuningOptions();
  options.imports = {"network.onnx"};
  options.checkpoints.clear();
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--fine_tune_epochs")));
}

TEST(RunQuantizeTest, MissingOptionsAreNamed) {
  QuantizeOptions options;
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input")));
  options.input = "dataset.rec";
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--checkpoint")));
}

TEST(RunQuantizeTest, TheLabsSlipNeedsTheLabsLogits) {
  QuantizeOptions options = SmallOptions();
  options.spec.set_first_sample_range(true);
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("give --int8_logits, too")));
  options.spec.set_int8_logits(true);
  EXPECT_THAT(RunQuantize(options), IsOk());
}

TEST(RunQuantizeTest, AnOnnxFileComesBackAsTheSameNetwork) {
  QuantizeOptions options = SmallOptions();
  options.onnx = {TempPath("lenet5.onnx"), TempPath("lenet5_bias.onnx")};
  options.spec.set_per_channel(true);
  options.spec.set_zero_points(true);
  ASSERT_THAT(RunQuantize(options), IsOk());
  const auto ours = ReadOutput(options);
  ASSERT_THAT(ours, IsOk());

  QuantizeOptions back = options;
  back.checkpoints.clear();
  back.imports = options.onnx;
  back.onnx.clear();
  back.output = TempPath("imported.rec");
  back.spec.set_calibration_images(1'000'000);  // more than there are: an import needs no calibration
  ASSERT_THAT(RunQuantize(back), IsOk());
  const auto imported = ReadOutput(back);
  ASSERT_THAT(imported, IsOk());
  ASSERT_THAT(imported->records, SizeIs(3));
  for (int i = 1; i < 3; ++i) {
    const proto::QuantizedNetwork &first = ours->records[i].network(), &second = imported->records[i].network();
    EXPECT_EQ(second.name(), first.name());
    EXPECT_EQ(second.checkpoint_sha256(), *Sha256HexOfFile(options.onnx[i - 1]));
    ASSERT_EQ(second.replay_size(), first.replay_size());
    for (int k = 0; k < first.replay_size(); ++k) {
      EXPECT_EQ(second.replay(k).SerializeAsString(), first.replay(k).SerializeAsString());
    }
    for (int k = 0; k < first.layer_size(); ++k) {
      EXPECT_EQ(second.layer(k).replay_sha256(), first.layer(k).replay_sha256()) << first.layer(k).name();
    }
    EXPECT_EQ(second.step(0).absent_reason(), "the network was imported in int8 from an ONNX file");
    EXPECT_EQ(second.onnx_form(), "QOperator");
    EXPECT_EQ(first.onnx_form(), "");
    const proto::AccuracyStep& last = first.has_bias() ? first.step(3) : first.step(2);
    EXPECT_EQ(second.step(3).correct(), last.correct());
    EXPECT_EQ(second.step(3).logits_sha256(), last.logits_sha256());
    EXPECT_FALSE(second.step(3).has_mcnemar_p());
  }
  EXPECT_EQ(imported->records[0].spec().calibration_images(), 0u);
  EXPECT_THAT(VerifyQuantized(back.output), IsOk());

  back.dry_run = true;
  back.output = TempPath("planned.rec");
  ::testing::internal::CaptureStderr();
  ASSERT_THAT(RunQuantize(back), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("plan: lenet5 imported from an ONNX file in the QOperator form, accuracy on "));
}

TEST(RunQuantizeTest, EveryInstructionSetGivesTheSameRecord) {
  QuantizeOptions options = SmallOptions();
  std::set<std::string> networks;
  for (const Isa isa : SupportedIsas()) {
    options.isa = std::string(IsaName(isa));
    options.threads = 1 + static_cast<uint32_t>(networks.size());
    options.output = TempPath(options.isa + ".rec");
    ASSERT_THAT(RunQuantize(options), IsOk());
    const auto file = ReadOutput(options);
    ASSERT_THAT(file, IsOk());
    EXPECT_EQ(file->records[2].network().step(3).logits_sha256().size(), 64u);
    networks.insert(file->records[1].SerializeAsString() + file->records[2].SerializeAsString());
  }
  EXPECT_THAT(networks, SizeIs(1));
}

TEST(RunQuantizeTest, AnInstructionSetThatIsNoneIsRefused) {
  QuantizeOptions options = SmallOptions();
  options.isa = "avx1024";
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("avx512vnni")));
}

TEST(RunQuantizeTest, AnOnnxFileThatIsNoneIsNamed) {
  QuantizeOptions options = SmallOptions();
  options.checkpoints.clear();
  options.imports = {TempPath("empty.onnx")};
  WriteFile(options.imports[0], "");
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("empty.onnx")));
  options.imports = {options.input};  // a dataset.rec
  EXPECT_THAT(RunQuantize(options), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("dataset.rec: ")));
}

TEST(RunQuantizeTest, OnnxFilesAreOneForEachNetwork) {
  QuantizeOptions options = SmallOptions();
  options.onnx = {TempPath("one.onnx")};
  EXPECT_THAT(RunQuantize(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--onnx: 1 files for 2 networks")));
  options.onnx.push_back(options.output);
  EXPECT_FALSE(RunQuantize(options).ok());  // two outputs with the same name
}

TEST(VerifyQuantizedTest, TheRecordAloneGivesItsLogits) {
  const QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(VerifyQuantized(options.output), IsOk());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("lenet5 gives"), HasSubstr("lenet5_bias gives")));
}

TEST(VerifyQuantizedTest, ADifferenceAborts) {
  const QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  auto file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  proto::ReplaySample& sample = *file->records[2].mutable_network()->mutable_replay(0);
  sample.set_expected_logit(3, sample.expected_logit(3) ^ 1);
  ASSERT_THAT(WriteRecordFile(options.output, file->header, file->records), IsOk());
  EXPECT_THAT(VerifyQuantized(options.output),
              StatusIs(absl::StatusCode::kAborted, AllOf(HasSubstr("lenet5_bias"), HasSubstr("logit 3"))));
}

TEST(VerifyQuantizedTest, AllTestImagesGiveTheSameDigestsByWhateverInstructions) {
  QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  std::set<std::string> tables;
  std::vector<std::string> isas = {"plain"};
  for (const Isa isa : SupportedIsas()) {
    isas.emplace_back(IsaName(isa));
  }
  for (const std::string& isa : isas) {
    options.isa = isa;
    ::testing::internal::CaptureStdout();
    EXPECT_THAT(VerifyQuantized(options.output, options), IsOk());
    tables.insert(::testing::internal::GetCapturedStdout());
  }
  ASSERT_THAT(tables, SizeIs(1));
  const auto file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  const proto::QuantizedNetwork& network = file->records[1].network();
  EXPECT_THAT(*tables.begin(), AllOf(HasSubstr("  lenet5.conv1\n"), HasSubstr("  lenet5_bias.fc3\n"),
                                     HasSubstr(absl::StrCat(network.step(2).logits_sha256(), "  lenet5 logits\n"))));
}

TEST(VerifyQuantizedTest, ALogitOfAnyTestImageThatDiffersAborts) {
  const QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  auto file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  proto::QuantizedNetwork& network = *file->records[1].mutable_network();
  network.mutable_step(network.step_size() - 1)->set_logits_sha256(std::string(64, '0'));
  ASSERT_THAT(WriteRecordFile(options.output, file->header, file->records), IsOk());
  ::testing::internal::CaptureStdout();
  EXPECT_THAT(VerifyQuantized(options.output, options),
              StatusIs(absl::StatusCode::kAborted, HasSubstr("all 20 test images have another digest")));
  ::testing::internal::GetCapturedStdout();
}

TEST(VerifyQuantizedTest, AnotherDataSetIsRefused) {
  QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  proto::Header header;
  header.set_schema("lockstep.proto.DatasetFile");
  header.set_schema_version(1);
  options.input = TempPath("other.rec");
  ASSERT_THAT(WriteRecordFile(options.input, header, ToRecords(SmallDataset(30, 21))), IsOk());
  EXPECT_THAT(VerifyQuantized(options.output, options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("made with another data set")));
}

TEST(VerifyQuantizedTest, AFileWithoutNetworksIsRefused) {
  const QuantizeOptions options = SmallOptions();
  ASSERT_THAT(RunQuantize(options), IsOk());
  const auto file = ReadOutput(options);
  ASSERT_THAT(file, IsOk());
  ASSERT_THAT(WriteRecordFile(options.output, file->header, std::vector<proto::QuantizedRecord>{}), IsOk());
  EXPECT_THAT(VerifyQuantized(options.output),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no network")));
}

}  // namespace
}  // namespace lockstep
