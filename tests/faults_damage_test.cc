// Record files cut at every byte, and with every single bit flipped, read by all readers.
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/lab_records/print_record.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::SmallDataset;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

// Bytes of a file, and the ends of its records.
struct Whole {
  std::string bytes;
  std::vector<size_t> ends;          // [0]: end of the header
  std::vector<std::string> records;  // bytes of each record, without header and trailer
};

template <typename Record>
Whole Write(const std::string& schema, const std::vector<Record>& records) {
  const std::string path = TempPath("whole.rec");
  proto::Header header;
  header.set_schema(schema);
  header.set_schema_version(1);
  EXPECT_THAT(WriteRecordFile(path, header, records), IsOk());
  Whole whole;
  whole.bytes = ReadFile(path);
  const auto reader = RecordReader::Open(path, schema);
  whole.ends.push_back((*reader)->whole_bytes());
  for (Record record; *(*reader)->Next(record);) {
    whole.ends.push_back((*reader)->whole_bytes());
    whole.records.push_back(record.SerializeAsString());
  }
  return whole;
}

Whole WriteSweep() {
  std::vector<proto::SweepRecord> records(3);
  records[0].mutable_point()->set_batch_size(32);
  records[1].mutable_point()->set_batch_size(128);
  records[1].mutable_point()->set_detail("two");
  records[2].mutable_end()->set_largest_completed_batch(128);
  return Write("lockstep.proto.SweepFile", records);
}

// Returns the number of records, including the header, that end at or before the first damaged byte.
size_t WholeBefore(const Whole& whole, size_t damaged_byte) {
  size_t count = 0;
  while (count < whole.ends.size() && whole.ends[count] <= damaged_byte) {
    ++count;
  }
  return count;
}

// Strict reading must fail; salvaging must return exactly the records before the damage.
void ExpectSalvaged(const std::string& path, const Whole& whole, size_t damaged_byte) {
  const size_t expected = WholeBefore(whole, damaged_byte);
  EXPECT_THAT(ReadRecordFile<proto::SweepFile>(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
  const auto salvaged = ReadRecordFile<proto::SweepFile>(path, ReadMode::kSalvage);
  ASSERT_EQ(salvaged.ok(), expected > 0) << salvaged.status();
  if (expected == 0) {
    return;
  }
  ASSERT_EQ(salvaged->records.size(), expected - 1);
  for (size_t i = 0; i + 1 < expected; ++i) {
    ASSERT_EQ(salvaged->records[i].SerializeAsString(), whole.records[i]);
  }
  EXPECT_THAT(salvaged->salvage_note, HasSubstr(absl::StrCat("; ", expected, " whole records before it")));
}

// Expects the same of `report --print`: the whole records, and their number in the error.
void ExpectPrinted(const std::string& path, const Whole& whole, size_t damaged_byte) {
  const size_t expected = WholeBefore(whole, damaged_byte);
  std::string out;
  std::ostringstream log;
  const auto print = [&out](absl::string_view text) {
    absl::StrAppend(&out, text);
    return absl::OkStatus();
  };
  const absl::Status status = PrintRecord(path, {}, print, log);
  ASSERT_THAT(status, StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path)));
  proto::SweepFile printed;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(out, &printed)) << out;
  ASSERT_EQ(printed.record_size(), static_cast<int>(expected));
  for (size_t i = 1; i < expected; ++i) {
    ASSERT_EQ(printed.record(static_cast<int>(i)).SerializeAsString(), whole.records[i - 1]);
  }
  if (expected > 0) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("; ", expected, " whole records before it")));
  }
}

TEST(DamageTest, CutAtEveryByte) {
  const Whole whole = WriteSweep();
  const std::string path = TempPath("cut.rec");
  for (size_t size = 0; size < whole.bytes.size(); ++size) {
    WriteFile(path, whole.bytes.substr(0, size));
    ASSERT_NO_FATAL_FAILURE(ExpectSalvaged(path, whole, size)) << size;
    ASSERT_NO_FATAL_FAILURE(ExpectPrinted(path, whole, size)) << size;
  }
}

TEST(DamageTest, EverySingleBitFlipped) {
  const Whole whole = WriteSweep();
  const std::string path = TempPath("flipped.rec");
  for (size_t i = 0; i < 8 * whole.bytes.size(); ++i) {
    std::string flipped = whole.bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    WriteFile(path, flipped);
    ASSERT_NO_FATAL_FAILURE(ExpectSalvaged(path, whole, i / 8)) << i;
    ASSERT_NO_FATAL_FAILURE(ExpectPrinted(path, whole, i / 8)) << i;
  }
}

TEST(DamageTest, ADataSetIsReadWholeOrNotAtAll) {
  const Whole whole = Write("lockstep.proto.DatasetFile", ToRecords(SmallDataset(1, 1)));
  const std::string path = TempPath("dataset.rec");
  WriteFile(path, whole.bytes);
  ASSERT_THAT(ReadDataset(path), IsOk());
  for (size_t i = 0; i < whole.bytes.size(); ++i) {
    WriteFile(path, whole.bytes.substr(0, i));
    ASSERT_THAT(ReadDataset(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path))) << i;
    std::string flipped = whole.bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
    WriteFile(path, flipped);
    ASSERT_THAT(ReadDataset(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(path))) << i;
  }
}

}  // namespace
}  // namespace lockstep
