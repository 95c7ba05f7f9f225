#include "lib/device/openmp_environment.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Values = std::vector<std::pair<const char*, const char*>>;

TEST(OpenMpEnvironmentTest, omp_nonsense_is_refused) {
  const Values values = {{"OMP_NUM_THREADS", "abc"},  {"OMP_NUM_THREADS", "-1"},  {"OMP_NUM_THREADS", "0"},
                         {"OMP_NUM_THREADS", "2,"},   {"OMP_NUM_THREADS", "1e9"}, {"OMP_THREAD_LIMIT", "x"},
                         {"OMP_DYNAMIC", "maybe"},    {"OMP_SCHEDULE", "zz"},     {"OMP_STACKSIZE", "1Q"},
                         {"OMP_WAIT_POLICY", "zz"},   {"OMP_PROC_BIND", "zz"},    {"OMP_PLACES", "zz"},
                         {"GOMP_CPU_AFFINITY", "zz"}, {"GOMP_SPINCOUNT", "zz"},   {"OMP_MAX_ACTIVE_LEVELS", "-1"}};
  for (const auto& [name, value] : values) {
    setenv(name, value, 1);
    EXPECT_THAT(CheckOpenMpEnvironment(),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(std::string(name) + "=" + value + ": expected "), HasSubstr("unset it"))));
    unsetenv(name);
  }
}

TEST(OpenMpEnvironmentTest, WhatTheManualShowsIsTaken) {
  const Values values = {{"OMP_NUM_THREADS", "4"},
                         {"OMP_NUM_THREADS", " 4 , 3,2 "},
                         {"OMP_THREAD_LIMIT", "1"},
                         {"OMP_DYNAMIC", "TRUE"},
                         {"OMP_SCHEDULE", "dynamic,4"},
                         {"OMP_SCHEDULE", "auto"},
                         {"OMP_STACKSIZE", "10 M"},
                         {"OMP_STACKSIZE", "20000"},
                         {"OMP_WAIT_POLICY", "PASSIVE"},
                         {"OMP_PROC_BIND", "false"},
                         {"OMP_PROC_BIND", "spread, close"},
                         {"OMP_PLACES", "cores(2)"},
                         {"OMP_PLACES", "{0:4},{4}"},
                         {"GOMP_CPU_AFFINITY", "0 3 1-2 4-15:2"},
                         {"GOMP_SPINCOUNT", "0"},
                         {"GOMP_SPINCOUNT", "INFINITE"},
                         {"OMP_SCHEDULE", "nonmonotonic:guided"}};
  for (const auto& [name, value] : values) {
    setenv(name, value, 1);
    EXPECT_THAT(CheckOpenMpEnvironment(), IsOk()) << name << "=" << value;
    unsetenv(name);
  }
}

TEST(OpenMpEnvironmentTest, AnEmptyVariableIsUnset) {
  setenv("OMP_NUM_THREADS", "", 1);
  EXPECT_THAT(CheckOpenMpEnvironment(), IsOk());
  EXPECT_EQ(std::getenv("OMP_NUM_THREADS"), nullptr);
}

}  // namespace
}  // namespace lockstep
