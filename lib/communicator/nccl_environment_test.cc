#include "lib/communicator/nccl_environment.h"

#include "gtest/gtest.h"
#include "lib/base/host_identity.h"

namespace lockstep {
namespace {

// One test, because a process that is on a virtual host stays on one.
TEST(NcclEnvironmentTest, TheHostIdIsOfTheRankOrOfItsVirtualHost) {
  unsetenv("NCCL_HOSTID");
  SetNcclHostId(3, 1);
  EXPECT_EQ(std::getenv("NCCL_HOSTID"), nullptr);
  SetVirtualHost(1);
  SetNcclHostId(3, 1);
  EXPECT_STREQ(std::getenv("NCCL_HOSTID"), "lockstep-host-1");
  SetNcclHostId(3, 2);
  EXPECT_STREQ(std::getenv("NCCL_HOSTID"), "lockstep-3");
  unsetenv("NCCL_HOSTID");
}

}  // namespace
}  // namespace lockstep
