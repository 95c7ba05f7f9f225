#include "lib/page/unit_space.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(UnitSpaceTest, ANumberAndItsUnitAreNotSeparated) {
  EXPECT_EQ(WithUnitSpaces("<p>at most 4 % of 0.101 s, 255 GB/s.</p>"),
            "<p>at most 4\u00a0% of 0.101\u00a0s, 255\u00a0GB/s.</p>");
  EXPECT_EQ(WithUnitSpaces("12 \u00b5s; 40 \u00b0C; 3 ms"), "12\u00a0\u00b5s; 40\u00a0\u00b0C; 3\u00a0ms");
}

TEST(UnitSpaceTest, OtherSpacesStay) {
  for (const char* html :
       {"4 H100 in 2 seeds", "batch 32 sent", "a % b", "3.96 times", "1e9 bytes", "5 ", "5 5", "", "2 <b>s</b>"}) {
    EXPECT_EQ(WithUnitSpaces(html), html);
  }
}

TEST(UnitSpaceTest, TagsAndVerbatimTextStay) {
  for (const char* html :
       {"<td title=\"4 % of it\">", "<style>a { margin: 4 px }</style>", "<pre class=\"command\">run 4 s</pre>",
        "<code>4 s</code>", "<svg viewBox=\"0 0 4 s\"><text>4 s</text></svg>", "<style>4 s", "a <b", "<"}) {
    EXPECT_EQ(WithUnitSpaces(html), html);
  }
  EXPECT_EQ(WithUnitSpaces("<code>4 s</code> 4 s <svg><text>4 s</text></svg>4 s<strong>4 s</strong>"),
            "<code>4 s</code> 4\u00a0s <svg><text>4 s</text></svg>4\u00a0s<strong>4\u00a0s</strong>");
}

}  // namespace
}  // namespace lockstep
