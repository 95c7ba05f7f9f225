#include "lib/scale_run/backend_choice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

const HostTopology& OneHost() {
  static const auto* hosts = new HostTopology({"a", "a", "a", "a"});
  return *hosts;
}
const HostTopology& TwoHosts() {
  static const auto* hosts = new HostTopology({"a", "a", "b", "b"});
  return *hosts;
}
const HostTopology& UnequalHosts() {
  static const auto* hosts = new HostTopology({"a", "a", "b"});
  return *hosts;
}
const HostTopology& SingleRanks() {
  static const auto* hosts = new HostTopology({"a", "b"});
  return *hosts;
}

proto::Backend DefaultOn(proto::DeviceKind device, const HostTopology& hosts) {
  return ChooseBackend(proto::BACKEND_UNSPECIFIED, device, hosts)->backend;
}

TEST(BackendChoiceTest, TheDefaultFitsTheHosts) {
  EXPECT_EQ(DefaultOn(proto::CPU, OneHost()), proto::SHARED_MEMORY);
  EXPECT_EQ(DefaultOn(proto::CPU, TwoHosts()), proto::HIERARCHICAL);
  EXPECT_EQ(DefaultOn(proto::CPU, SingleRanks()), proto::GLOO);
  EXPECT_EQ(DefaultOn(proto::CUDA, OneHost()), proto::NCCL);
  EXPECT_EQ(DefaultOn(proto::CUDA, UnequalHosts()), proto::NCCL);
}

TEST(BackendChoiceTest, UnequalHostsGiveAReason) {
  const BackendChoice unequal = *ChooseBackend(proto::BACKEND_UNSPECIFIED, proto::CPU, UnequalHosts());
  EXPECT_EQ(unequal.backend, proto::GLOO);
  EXPECT_EQ(unequal.why, "shared memory within hosts needs equally many ranks on each, found 2 hosts of 1 to 2 ranks");
  EXPECT_EQ(ChooseBackend(proto::BACKEND_UNSPECIFIED, proto::CUDA, UnequalHosts())->why, "");
  EXPECT_EQ(ChooseBackend(proto::GLOO, proto::CPU, UnequalHosts())->why, "");
  EXPECT_EQ(ChooseBackend(proto::BACKEND_UNSPECIFIED, proto::CPU, SingleRanks())->why, "");
}

TEST(BackendChoiceTest, GlooMayBeNamedOnAllCpus) {
  for (const HostTopology* hosts : {&OneHost(), &TwoHosts(), &UnequalHosts(), &SingleRanks()}) {
    EXPECT_EQ(ChooseBackend(proto::GLOO, proto::CPU, *hosts)->backend, proto::GLOO);
  }
  EXPECT_EQ(ChooseBackend(proto::HIERARCHICAL, proto::CPU, TwoHosts())->backend, proto::HIERARCHICAL);
}

TEST(BackendChoiceTest, OthersAreRefusedWithThePossibleOnes) {
  EXPECT_THAT(ChooseBackend(proto::HIERARCHICAL, proto::CPU, OneHost()),
              StatusIs(kInvalid, "--backend=hierarchical: ranks on CPUs communicate over shared_memory or gloo"));
  EXPECT_THAT(
      ChooseBackend(proto::SHARED_MEMORY, proto::CPU, TwoHosts()),
      StatusIs(kInvalid, "--backend=shared_memory: ranks on several hosts communicate over hierarchical or gloo"));
  EXPECT_THAT(ChooseBackend(proto::HIERARCHICAL, proto::CPU, UnequalHosts()),
              StatusIs(kInvalid, HasSubstr("these ranks communicate over gloo: shared memory within hosts needs")));
  EXPECT_THAT(ChooseBackend(proto::HIERARCHICAL, proto::CPU, SingleRanks()),
              StatusIs(kInvalid, "--backend=hierarchical: ranks on several hosts communicate over gloo"));
  EXPECT_THAT(ChooseBackend(proto::GLOO, proto::CUDA, OneHost()),
              StatusIs(kInvalid, "--backend=gloo: ranks on CUDA communicate over nccl"));
}

}  // namespace
}  // namespace lockstep
