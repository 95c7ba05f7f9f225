// Matchers and temporary paths for the tests of all packages. Test-only.
//
//   EXPECT_THAT(ReadDataset(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut off")));
//   ASSERT_THAT(writer.Finish(0), IsOk());
//   EXPECT_THAT(header, EqualsProto("schema: 'lockstep.proto.SweepFile'"));
#ifndef LOCKSTEP_LIB_TESTING_MATCHERS_H_
#define LOCKSTEP_LIB_TESTING_MATCHERS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"

namespace lockstep::testing {

inline const absl::Status& ToStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& ToStatus(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << ToStatus(arg).ToString();
  return ToStatus(arg).ok();
}

// Matches a Status or StatusOr with this code and a message that matches `message`.
MATCHER_P2(StatusIs, code, message, "") {
  *result_listener << ToStatus(arg).ToString();
  return ToStatus(arg).code() == code &&
         ::testing::ExplainMatchResult(message, std::string(ToStatus(arg).message()), result_listener);
}

// Matches a protobuf message that equals, field by field, the message in `text`.
MATCHER_P(EqualsProto, text, "equals " + std::string(text)) {
  std::unique_ptr<google::protobuf::Message> expected(arg.New());
  if (!google::protobuf::TextFormat::ParseFromString(text, expected.get())) {
    *result_listener << "the expected text does not parse";
    return false;
  }
  google::protobuf::util::MessageDifferencer differencer;
  std::string differences;
  differencer.ReportDifferencesToString(&differences);
  const bool equal = differencer.Compare(*expected, arg);
  *result_listener << differences;
  return equal;
}

// Returns a path in this test's own temporary folder, made unique by the name of the running test.
inline std::string TempPath(const std::string& name) {
  const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
  return ::testing::TempDir() + "/" + info->test_suite_name() + "." + info->name() + "." + name;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_TESTING_MATCHERS_H_
