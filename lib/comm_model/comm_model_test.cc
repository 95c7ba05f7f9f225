#include "lib/comm_model/comm_model.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/comm_model/summary.h"
#include "lib/proto/scale.pb.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FileExists;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// One device at batch 32, two devices at batch 32.
std::string WriteScale() {
  const char* texts[] = {
      "spec { mode: DDP model { parameter_count: 1000 gradient_bytes: 4000 training_images: 3200 } }",
      "point { ranks: 1 batch_per_device: 32 reduction: PLAIN outcome: COMPLETED steps_per_epoch: 100 "
      "epoch_seconds { value: 12 } step_seconds { value: 10 } }",
      "point { ranks: 2 batch_per_device: 32 reduction: ALL_REDUCE outcome: COMPLETED steps_per_epoch: 50 "
      "epoch_seconds { value: 8 } step_seconds { value: 7 } }"};
  std::vector<proto::ScaleRecord> records;
  for (const char* text : texts) {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &records.emplace_back()));
  }
  HeaderOptions header;
  header.schema = "lockstep.proto.ScaleFile";
  const std::string path = TempPath("scale.rec");
  EXPECT_THAT(WriteRecordFile(path, MakeHeader(header), records), IsOk());
  return path;
}

std::string WriteTables() {
  const std::string path = TempPath("tables.textproto");
  WriteFile(path,
            "source: 'a document' table { name: 'T'\n"
            "value { quantity: EPOCH_SECONDS devices: 1 batch: 32 as_printed: '12.0' }\n"
            "value { quantity: EPOCH_SECONDS devices: 2 batch: 32 as_printed: '8.0' }\n"
            "value { quantity: SPEEDUP devices: 2 batch: 32 as_printed: '1.500' } }\n");
  return path;
}

CommModelOptions Options() {
  CommModelOptions options;
  options.output_path = TempPath("comm_model.rec");
  return options;
}

TEST(CommModelTest, NothingToDoIsAUsageError) {
  EXPECT_THAT(RunCommModel(Options()), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input")));
}

TEST(CommModelTest, OptionsWithoutTheirScaleRecordAreUsageErrors) {
  CommModelOptions options = Options();
  options.audit_paths = {WriteTables()};
  options.sweep_path = "sweep.rec";
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--sweep")));
  options.sweep_path.clear();
  options.link_gigabytes_per_second = -1;
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-1")));
}

TEST(CommModelTest, WritesRowsThenAudits) {
  CommModelOptions options = Options();
  options.scale_path = WriteScale();
  options.audit_paths = {WriteTables()};
  options.link_gigabytes_per_second = 2;
  const auto run = RunCommModel(options);
  ASSERT_THAT(run, IsOk());
  const std::vector<proto::CommModelRecord>& records = run->records;
  ASSERT_THAT(records, SizeIs(5));  // spec, two rows, step times (rejected: the images are not said), one table
  EXPECT_EQ(records[0].spec().nominal_link_bytes_per_second().value(), 2e9);
  EXPECT_EQ(records[2].scaling().communication_seconds().value(), 2);
  EXPECT_EQ(records[4].audit().value(2).finding(), proto::REPRODUCED);

  const auto file = ReadRecordFile<proto::CommModelFile>(options.output_path);
  ASSERT_THAT(file, IsOk());
  EXPECT_THAT(file->records, SizeIs(5));
  EXPECT_THAT(file->header.input(), SizeIs(2));
}

TEST(CommModelTest, ASecondRunReadsWhatIsThere) {
  CommModelOptions options = Options();
  options.audit_paths = {WriteTables()};
  ASSERT_THAT(RunCommModel(options), IsOk());
  const auto first = ReadRecordFile<proto::CommModelFile>(options.output_path);
  const auto again = RunCommModel(options);
  ASSERT_THAT(again, IsOk());
  EXPECT_THAT(again->records, SizeIs(2));  // spec, one table
  EXPECT_EQ(ReadRecordFile<proto::CommModelFile>(options.output_path)->input.sha256(), first->input.sha256());
}

TEST(CommModelTest, ABrokenInputLeavesNoOutput) {
  CommModelOptions options = Options();
  options.audit_paths = {TempPath("broken.textproto")};
  WriteFile(options.audit_paths[0], "source: 'x'\ntable { nam: 'T' }\n");
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("broken.textproto:2:12")));
  EXPECT_FALSE(FileExists(options.output_path));
  options.audit_paths.clear();
  options.scale_path = "/no/such.rec";
  EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such.rec")));
}

// Their points differ in more than ranks and batch.
TEST(CommModelTest, ExperimentsAndDataParallelAreNoTimesToExplain) {
  for (const auto& [text, said] : {std::pair<const char*, const char*>{"experiment: SAMPLER_EPOCH", "an experiment"},
                                   {"mode: DP", "no all-reduce to explain"}}) {
    std::vector<proto::ScaleRecord> records(1);
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, records[0].mutable_spec()));
    HeaderOptions header;
    header.schema = "lockstep.proto.ScaleFile";
    CommModelOptions options = Options();
    options.scale_path = TempPath("other.rec");
    ASSERT_THAT(WriteRecordFile(options.scale_path, MakeHeader(header), records), IsOk());
    EXPECT_THAT(RunCommModel(options), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(said)));
  }
}

TEST(SummaryTest, OneLinePerRowAndPerNumber) {
  CommModelOptions options = Options();
  options.scale_path = WriteScale();
  options.audit_paths = {WriteTables()};
  const std::string text = SummaryText(RunCommModel(options)->records);
  EXPECT_THAT(text, HasSubstr("T_comm s"));
  EXPECT_THAT(text, HasSubstr("no strong: E_1(64) is not there"));
  EXPECT_THAT(text, HasSubstr("Audit of a document"));
  EXPECT_THAT(text, ::testing::ContainsRegex("SPEEDUP N=2 B=32 +1.500 +REPRODUCED +T_1/T_N"));
  EXPECT_THAT(text, HasSubstr("= 1 of 1 reproduced: T_1/T_N"));
  EXPECT_THAT(text, HasSubstr("given 2, reproduced 1, ambiguous 0, not reproducible 0; flags: none"));
}

TEST(SummaryTest, OfNothingIsEmpty) { EXPECT_EQ(SummaryText({}), ""); }

}  // namespace
}  // namespace lockstep
