#include "lib/record/record_json.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns the JSON of a sweep with these further records.
std::string SweepJson(absl::string_view records) {
  return absl::StrCat(R"({"record": [{"header": {"schema": "lockstep.proto.SweepFile", "schema_version": 1}}, )",
                      records, R"({"trailer": {"record_count": "2"}}]})");
}

const std::string PointJson() { return SweepJson(R"({"point": {"batch_size": 32}}, )"); }

TEST(RecordJsonTest, TheBytesAreThoseOfTheRecordFile) {
  const auto record = ReadRecordJson(PointJson(), "x.json");
  ASSERT_THAT(record, IsOk());
  proto::SweepFile file;
  ASSERT_TRUE(file.ParseFromString(record->bytes));
  ASSERT_EQ(file.record_size(), 3);
  EXPECT_EQ(file.crc32_size(), 3);
  EXPECT_THAT(file.record(1), EqualsProto("point { batch_size: 32 }"));
  EXPECT_EQ(RemarkOn(*record, "x.json"), "");
}

TEST(RecordJsonTest, TheKeysMayHaveAnyOrder) {
  const auto record = ReadRecordJson(
      R"({"crc32": [], "record": [{"header": {"schema_version": 1, "schema": "lockstep.proto.SweepFile"}}]})", "x");
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(record->changed, 0u);
}

TEST(RecordJsonTest, ACutOffTextIsNamedWithTheRemedy) {
  const std::string json = PointJson();
  for (const size_t size : {size_t{1}, size_t{5}, size_t{9}, json.size() / 2, json.size() - 1}) {
    EXPECT_THAT(ReadRecordJson(json.substr(0, size), "x.json"),
                StatusIs(absl::StatusCode::kDataLoss,
                         AllOf(HasSubstr(absl::StrCat("x.json: the JSON of a record is cut off at byte ", size, "; ")),
                               EndsWith("report --convert=RECORD --output=x.json"), Not(HasSubstr("\n")))))
        << size;
  }
  EXPECT_THAT(ReadRecordJson("{", "-"), StatusIs(absl::StatusCode::kDataLoss, EndsWith("--output=NAME.json")));
  // The cut is after an escaped quotation mark, which does not end the string.
  EXPECT_THAT(ReadRecordJson(R"({"a\")", "x"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut off")));
}

TEST(RecordJsonTest, WholeTextThatIsNoRecordIsNotCalledCutOff) {
  for (const char* json : {"{}", R"({"a": [1, 2]})", R"({"record": 3})", R"({"record": [{"header": {}}]})",
                           R"({"record": [{"header": {"schema": "no.such.File"}}]})", R"({"a": "}"}})"}) {
    EXPECT_THAT(ReadRecordJson(json, "x.json"),
                StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("x.json: expected the JSON of a record"),
                                                            Not(HasSubstr("cut off")), Not(HasSubstr("\n")))))
        << json;
  }
}

TEST(RecordJsonTest, AnotherToolsRecordIsNamed) {
  EXPECT_THAT(ReadRecordJson(PointJson(), "x.json", proto::DatasetFile::descriptor()->full_name()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("x.json: is a record of train_sweep (lockstep.proto.SweepFile); expected one of "
                                 "cifar_prep (lockstep.proto.DatasetFile)")));
  EXPECT_THAT(ReadRecordJson(PointJson(), "x.json", proto::SweepFile::descriptor()->full_name()), IsOk());
}

}  // namespace
}  // namespace lockstep
