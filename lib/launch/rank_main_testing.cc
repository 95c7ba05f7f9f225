#include "lib/launch/rank_main_testing.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/skip_static_destructors.h"

namespace lockstep::testing {

int RankTestMain(int argc, char** argv, const std::map<std::string, RankTask>& tasks) {
  SkipStaticDestructors();
  if (IsRank()) {
    return RunRank(tasks);
  }
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}

}  // namespace lockstep::testing
