#include "lib/comparison/version.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Returns the names of the parts in which a changed header differs from an empty one.
std::vector<std::string> Differing(void (*change)(proto::Header&)) {
  proto::Header header;
  const std::vector<VersionPart> before = VersionOf(header);
  change(header);
  const std::vector<VersionPart> after = VersionOf(header);
  std::vector<std::string> names;
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].name, after.at(i).name);
    if (before[i].words != after.at(i).words) {
      names.push_back(before[i].name);
    }
  }
  return names;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(VersionTest, EachPartDistinguishesVersions) {
  EXPECT_THAT(Differing([](proto::Header& header) { header.mutable_build()->set_build_id("0123456789abcdef"); }),
              ElementsAre("build"));
  EXPECT_THAT(Differing([](proto::Header& header) { header.mutable_build()->set_git_commit("0123456789abcdef"); }),
              ElementsAre("build"));
  EXPECT_THAT(Differing([](proto::Header& header) { header.mutable_libraries()->set_libtorch("2.11.0"); }),
              ElementsAre("LibTorch"));
  EXPECT_THAT(Differing([](proto::Header& header) { header.add_device()->set_driver_version("580.1"); }),
              ElementsAre("driver"));
  EXPECT_THAT(Differing([](proto::Header& header) { (*header.mutable_environment())["NCCL_ALGO"] = "Tree"; }),
              ElementsAre("environment"));
}

TEST(VersionTest, AJobNumberAndTheChoiceOfDevicesAreNoVersion) {
  EXPECT_THAT(Differing([](proto::Header& header) {
                (*header.mutable_environment())["SLURM_JOB_ID"] = "7";
                (*header.mutable_environment())["CUDA_VISIBLE_DEVICES"] = "1";
              }),
              IsEmpty());
}

TEST(VersionTest, VariablesAreInTheOrderOfTheirNames) {
  proto::Header header;
  (*header.mutable_environment())["NCCL_PROTO"] = "LL";
  (*header.mutable_environment())["NCCL_ALGO"] = "Tree";
  EXPECT_EQ(VersionOf(header).back().words, "environment NCCL_ALGO=Tree NCCL_PROTO=LL");
}

}  // namespace
}  // namespace lockstep
