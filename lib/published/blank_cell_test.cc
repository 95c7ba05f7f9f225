#include "lib/published/blank_cell.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(BlankCellTest, WordsAndDashes) {
  for (const char* text :
       {"OOM", "oom", " N/A ", "n/a", "NaN", "-", "--", "\xE2\x80\x93", "\xE2\x80\x94", "out of memory"}) {
    EXPECT_TRUE(StatesNoNumber(text)) << text;
  }
  for (const char* text : {"", "0", "-1", "OOM?", "1.5", "table"}) {
    EXPECT_FALSE(StatesNoNumber(text)) << text;
  }
}

}  // namespace
}  // namespace lockstep
