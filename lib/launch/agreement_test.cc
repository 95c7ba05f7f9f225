#include "lib/launch/agreement.h"

#include "absl/flags/flag.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

ABSL_FLAG(double, learning_rate, 0, "");
ABSL_FLAG(std::string, schedule, "", "");

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kUnavailable = absl::StatusCode::kUnavailable;

void Set(proto::ProcessDescription& description, const char* name, const char* value) {
  proto::AgentSetting& setting = *description.add_setting();
  setting.set_name(name);
  setting.set_value(value);
}

proto::ProcessDescription Description(int rank, const char* host, const char* seed, const char* rate) {
  proto::ProcessDescription description;
  description.set_rank(rank);
  description.set_host_name(host);
  description.set_build_id("aa");
  description.set_dataset("d1");
  Set(description, "LibTorch", "2.11.0");
  Set(description, "--seed", seed);
  Set(description, "--learning_rate", rate);
  return description;
}

TEST(AgreementTest, TheSameOnAnotherHostIsTheSame) {
  EXPECT_THAT(CheckAgreement(Description(0, "a", "0", ""), Description(1, "b", "0", "")), IsOk());
  EXPECT_THAT(CheckSameDataset(Description(0, "a", "0", ""), "d1", Description(1, "b", "0", "")), IsOk());
}

TEST(AgreementTest, ASettingIsNamedWithBothValues) {
  EXPECT_THAT(CheckAgreement(Description(0, "a", "0", "0.1"), Description(1, "b", "7", "0.1")),
              StatusIs(kUnavailable,
                       "rank 1 on b differs from rank 0 on a: expected --seed 0, found 7; start all with one "
                       "command and one set of libraries"));
  EXPECT_THAT(CheckAgreement(Description(0, "a", "0", "0.1"), Description(2, "b", "7", "")),
              StatusIs(kUnavailable,
                       "rank 2 on b differs from rank 0 on a: expected --seed 0, found 7 (other values of "
                       "--learning_rate, too); start all with one command and one set of libraries"));
}

TEST(AgreementTest, AFlagThatIsNotGivenIsReportedWithItsDefault) {
  EXPECT_THAT(CheckAgreement(Description(0, "a", "0", "0"), Description(1, "b", "0", "0.1")),
              StatusIs(kUnavailable, HasSubstr("expected --learning_rate 0 (its default), found 0.1;")));
  proto::ProcessDescription leader = Description(0, "a", "0", "0"), other = Description(1, "b", "0", "0");
  Set(leader, "--schedule", "cosine");
  Set(other, "--schedule", "");
  EXPECT_THAT(CheckAgreement(leader, other),
              StatusIs(kUnavailable, HasSubstr("expected --schedule cosine, found none (its default);")));
}

TEST(AgreementTest, ALibraryIsNamedWithBothValues) {
  proto::ProcessDescription other = Description(1, "b", "0", "");
  other.mutable_setting(0)->set_value("2.10.0");
  EXPECT_THAT(CheckAgreement(Description(0, "a", "0", ""), other),
              StatusIs(kUnavailable, HasSubstr("expected LibTorch 2.11.0, found 2.10.0;")));
}

// The program is compared first, because another build may have other flags.
TEST(AgreementTest, AnotherProgramComesFirst) {
  proto::ProcessDescription other = Description(1, "b", "7", "");
  other.set_build_id("bb");
  EXPECT_THAT(CheckAgreement(Description(0, "a", "0", ""), other),
              StatusIs(kUnavailable,
                       "rank 1 on b differs from rank 0 on a: expected the program with SHA-256 aa, found bb; "
                       "install the same build on all hosts"));
}

TEST(AgreementTest, ADatasetIsNamedWithBothValues) {
  proto::ProcessDescription other = Description(1, "b", "0", "");
  other.set_dataset("none: x.rec: no such file");
  EXPECT_THAT(CheckSameDataset(Description(0, "a", "0", ""), "d1", other),
              StatusIs(kUnavailable,
                       "rank 1 on b differs from rank 0 on a: expected a data set with SHA-256 d1, found none: "
                       "x.rec: no such file; give the same images as --input on all hosts"));
}

}  // namespace
}  // namespace lockstep
