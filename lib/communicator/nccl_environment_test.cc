#include "lib/communicator/nccl_environment.h"

#include <cstdlib>
#include <string>

#include "gtest/gtest.h"
#include "lib/base/host_identity.h"

namespace lockstep {
namespace {

// One test, because a process that is on a virtual host stays on one.
TEST(NcclEnvironmentTest, TheHostIdKeepsRanksOfOneGpuApart) {
  const auto id_of = [](int rank, uint32_t ranks_per_gpu, uint32_t gpus) -> std::string {
    SetNcclHostId(rank, ranks_per_gpu, gpus);
    const char* const id = std::getenv("NCCL_HOSTID");
    return id == nullptr ? "" : id;
  };
  unsetenv("NCCL_HOSTID");
  EXPECT_EQ(id_of(3, 1, 4), "");
  EXPECT_EQ(id_of(3, 2, 2), "lockstep-set-1");
  EXPECT_EQ(id_of(2, 2, 2), "lockstep-set-1");  // rank 2 is on the other GPU
  EXPECT_EQ(id_of(1, 2, 2), "lockstep-set-0");  // rank 1 is on the GPU of rank 3
  EXPECT_EQ(id_of(1, 2, 1), "lockstep-set-1");
  SetVirtualHost(1);
  EXPECT_EQ(id_of(3, 1, 4), "lockstep-host-1");
  EXPECT_EQ(id_of(3, 2, 2), "lockstep-host-1-set-1");
  unsetenv("NCCL_HOSTID");
}

}  // namespace
}  // namespace lockstep
