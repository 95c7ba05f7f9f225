#include "lib/warnings/repeat_command.h"

#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

std::string Repeated(const std::vector<std::string>& words) {
  proto::Header header;
  header.mutable_command_line()->Assign(words.begin(), words.end());
  return RepeatCommand(header, "--repeats=5");
}

TEST(RepeatCommandTest, TheFlagIsReplaced) {
  EXPECT_EQ(Repeated({"train_sweep", "--input=my lab/dataset.rec", "--repeats=1", "--output=sweep.rec"}),
            "train_sweep '--input=my lab/dataset.rec' --output=sweep.rec --repeats=5 --force");
  EXPECT_EQ(Repeated({"train_sweep", "--repeats", "1", "--force", "--input=d.rec"}),
            "train_sweep --input=d.rec --repeats=5 --force");
}

TEST(RepeatCommandTest, ARecordWithoutACommandHasNone) { EXPECT_EQ(Repeated({}), ""); }

}  // namespace
}  // namespace lockstep
