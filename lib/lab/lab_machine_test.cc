#include "lib/lab/lab_machine.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/path.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Makes a portable folder with one tool and two hand-ins, and returns its path.
std::string PortableFolder(const std::string& name) {
  const std::string folder = JoinPath(::testing::TempDir(), absl::StrCat("lab_machine_test_", getpid(), "_", name));
  std::filesystem::create_directories(JoinPath(folder, "libexec"));
  std::filesystem::create_directories(JoinPath(folder, "data/published"));
  for (const char* file : {"cifar_prep", "data/published/hand_in_001.textproto", "data/published/hand_in_000.textproto",
                           "data/published/athena_las.csv"}) {
    std::ofstream(JoinPath(folder, file)).put('\n');
  }
  std::filesystem::permissions(JoinPath(folder, "cifar_prep"), std::filesystem::perms::owner_all);
  return folder;
}

TEST(LabMachineTest, APortableFolder) {
  const std::string folder = PortableFolder("portable");
  const auto places = FindLabPlaces(JoinPath(folder, "libexec/lab"));
  ASSERT_THAT(places, IsOk());
  EXPECT_EQ(places->tools, folder);
  EXPECT_THAT(PublishedTables(places->published),
              ElementsAre(JoinPath(folder, "data/published/hand_in_000.textproto"),
                          JoinPath(folder, "data/published/hand_in_001.textproto")));
}

TEST(LabMachineTest, RefusesAFolderWithAComma) {
  const std::string folder = PortableFolder("port,able");
  EXPECT_THAT(FindLabPlaces(JoinPath(folder, "libexec/lab")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("without a comma")));
}

TEST(LabMachineTest, RefusesAFolderWithoutTools) {
  EXPECT_THAT(FindLabPlaces(JoinPath(::testing::TempDir(), "nothing/lab")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("bazel build //tools:all")));
}

TEST(LabMachineTest, NoFolderHasNoTables) { EXPECT_THAT(PublishedTables(""), IsEmpty()); }

TEST(LabMachineTest, ACpuHasAtLeastOneThread) {
  const auto facts = ReadMachine("cpu");
  ASSERT_THAT(facts, IsOk());
  EXPECT_EQ(facts->gpus, 0);
  EXPECT_GE(facts->cpu_threads, 1);
}

TEST(LabMachineTest, AMissingRecordIsNotFound) {
  LabFacts facts;
  EXPECT_THAT(ReadCpuSpeed(JoinPath(::testing::TempDir(), "none.rec"), facts),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none.rec")));
}

}  // namespace
}  // namespace lockstep
