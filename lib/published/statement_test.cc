#include "lib/published/statement.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/proto/published.pb.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using testing::IsOk;
using testing::StatusIs;

TEST(StatementTest, WordsAreThoseOfTheList) {
  proto::Claims claims;
  claims.set_phases("sum");
  claims.set_learning_rate_scaling("square_root");
  EXPECT_THAT(CheckStatements(claims), IsOk());
  claims.set_phases("overlap");
  EXPECT_THAT(CheckStatements(claims),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("unknown phases 'overlap'; known: sum")));
  claims.set_phases("sum");
  claims.set_learning_rate_scaling("log");
  EXPECT_THAT(CheckStatements(claims),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("unknown learning_rate_scaling 'log'; known: linear, square_root")));
}

TEST(StatementTest, NumbersAreAboveZero) {
  proto::Claims claims;
  claims.set_serial_fraction(0.05);
  claims.set_base_learning_rate(0.1);
  claims.set_base_learning_rate_batch(256);
  claims.set_shared_cpu_cores(2);
  EXPECT_THAT(CheckStatements(claims), IsOk());
  claims.set_serial_fraction(-0.05);
  EXPECT_THAT(CheckStatements(claims),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("serial_fraction -0.05 is not above 0")));
}

}  // namespace
}  // namespace lockstep
