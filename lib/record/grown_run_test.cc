#include "lib/record/grown_run.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

proto::Header HeaderWith(const std::string& points_key, const std::vector<std::string>& points) {
  proto::Header header;
  header.set_points_key(points_key);
  header.mutable_point()->Add(points.begin(), points.end());
  return header;
}

TEST(GrownRunTest, ARunGrowsByPointsOnly) {
  const proto::Header then = HeaderWith("key", {"32", "128"});
  EXPECT_TRUE(IsGrownFrom(then, HeaderWith("key", {"32", "64", "128"})));
  EXPECT_FALSE(IsGrownFrom(then, HeaderWith("key", {"32", "128"})));
  EXPECT_FALSE(IsGrownFrom(then, HeaderWith("key", {"32", "64", "512"})));  // 512 instead of 128
  EXPECT_FALSE(IsGrownFrom(then, HeaderWith("other", {"32", "64", "128"})));
  EXPECT_FALSE(IsGrownFrom(HeaderWith("", {}), HeaderWith("", {"32"})));  // records of tools without points
}

}  // namespace
}  // namespace lockstep
