#include "lib/cifar/parse_options.h"

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(ParseOptionsTest, AWarningIsKeptInOrder) {
  std::vector<std::string> warnings;
  ParseOptions options;
  options.warnings = &warnings;
  EXPECT_THAT(WarnOrRefuse(options, "folder: a: differs"), IsOk());
  EXPECT_THAT(WarnOrRefuse(options, "folder: b: differs"), IsOk());
  EXPECT_THAT(warnings, ElementsAre("folder: a: differs", "folder: b: differs"));
}

TEST(ParseOptionsTest, WithoutAPlaceForWarningsTheyAreDropped) { EXPECT_THAT(WarnOrRefuse({}, "x"), IsOk()); }

TEST(ParseOptionsTest, StrictRefuses) {
  std::vector<std::string> warnings;
  ParseOptions options;
  options.strict = true;
  options.warnings = &warnings;
  EXPECT_THAT(WarnOrRefuse(options, "folder: a: differs"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("folder: a: differs; without --strict")));
  EXPECT_THAT(warnings, ElementsAre());
}

TEST(PublishedDigestsTest, AreMd5sOfTwoArchivesAndSevenMembers) {
  const PublishedDigests& digests = Cifar10Digests();
  EXPECT_THAT(digests.binary_archive, MatchesRegex("[0-9a-f]{32}"));
  EXPECT_THAT(digests.python_archive, MatchesRegex("[0-9a-f]{32}"));
  EXPECT_EQ(digests.python_members.size(), 7u);
  for (const auto& [name, md5] : digests.python_members) {
    EXPECT_THAT(md5, MatchesRegex("[0-9a-f]{32}")) << name;
  }
}

}  // namespace
}  // namespace lockstep
