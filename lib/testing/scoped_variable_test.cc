#include "lib/testing/scoped_variable.h"

#include <cstdlib>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep::testing {
namespace {

using ::testing::IsNull;
using ::testing::StrEq;

constexpr char kName[] = "LOCKSTEP_SCOPED_VARIABLE_TEST";

TEST(ScopedVariableTest, AVariableThatWasUnsetIsUnsetAgain) {
  {
    const ScopedVariable variable(kName, "1");
    EXPECT_THAT(std::getenv(kName), StrEq("1"));
  }
  EXPECT_THAT(std::getenv(kName), IsNull());
}

TEST(ScopedVariableTest, AVariableThatWasSetHasItsValueAgain) {
  const ScopedVariable outer(kName, "");
  {
    const ScopedVariable inner(kName, "2");
    EXPECT_THAT(std::getenv(kName), StrEq("2"));
  }
  EXPECT_THAT(std::getenv(kName), StrEq(""));
}

}  // namespace
}  // namespace lockstep::testing
