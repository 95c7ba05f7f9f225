#include "lib/cifar/split_folders.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Returns the three fields as "Train Test val", with "-" for an empty one.
std::string Chosen(const std::set<std::string>& names) {
  const auto folders = ChooseSplitFolders("x", names);
  EXPECT_THAT(folders, IsOk());
  const auto shown = [](const std::string& name) { return name.empty() ? "-" : name; };
  return shown(folders->train) + " " + shown(folders->test) + " " + shown(folders->validation);
}

TEST(ChooseSplitFoldersTest, AnyCaseOfLetters) {
  EXPECT_EQ(Chosen({"train", "test"}), "train test -");
  EXPECT_EQ(Chosen({"Train", "TEST"}), "Train TEST -");
}

TEST(ChooseSplitFoldersTest, ValidationIsTheTestSplitWhereThereIsNoOther) {
  EXPECT_EQ(Chosen({"train", "val"}), "train val -");
  EXPECT_EQ(Chosen({"train", "Valid"}), "train Valid -");
  EXPECT_EQ(Chosen({"train", "validation", "test"}), "train test validation");
  EXPECT_EQ(Chosen({"train"}), "train - -");
}

TEST(ChooseSplitFoldersTest, TwoOfOneKindAreRefused) {
  EXPECT_THAT(
      ChooseSplitFolders("x", {"Train", "train", "test"}),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("x: expected one of the folders Train/ and train/")));
  EXPECT_THAT(ChooseSplitFolders("x", {"train", "val", "valid"}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("val/ and valid/")));
}

TEST(IsSplitFolderTest, OtherNamesAreNone) {
  for (const char* name : {"", "training", "tests", "values", "cat"}) {
    EXPECT_FALSE(IsSplitFolder(name)) << name;
  }
}

}  // namespace
}  // namespace lockstep
