#include "lib/comm_model/audit_template.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/lab_sheet.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::HasSubstr;

TEST(AuditTemplateTest, TheSheetIsWritten) {
  const std::string path = TempPath("audit_template_new.csv");
  ASSERT_THAT(WriteAuditTemplate(path, Force::kNo), IsOk());
  EXPECT_EQ(ReadFile(path), EmptyLabSheet());
}

TEST(AuditTemplateTest, TypedNumbersAreNotReplaced) {
  const std::string path = TempPath("audit_template_old.csv");
  WriteFile(path, "typed");
  EXPECT_THAT(WriteAuditTemplate(path, Force::kNo), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--force")));
  EXPECT_EQ(ReadFile(path), "typed");
  ASSERT_THAT(WriteAuditTemplate(path, Force::kYes), IsOk());
  EXPECT_EQ(ReadFile(path), EmptyLabSheet());
}

TEST(AuditTemplateTest, AnotherEndingIsRefused) {
  EXPECT_THAT(WriteAuditTemplate("lab.rec", Force::kYes),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ends in .csv")));
  EXPECT_THAT(WriteAuditTemplate("", Force::kYes), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("lab.csv")));
}

}  // namespace
}  // namespace lockstep
