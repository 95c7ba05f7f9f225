#include "lib/record/wrong_input.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(CheckIsNoAddressTest, TakesPaths) {
  for (const char* path : {"", "-", "a", "/a/b.rec", "a:b", "://a", "a/b://c"}) {
    EXPECT_THAT(CheckIsNoAddress(path), IsOk()) << path;
  }
}

TEST(CheckIsNoAddressTest, ReportsHowToGetWhatIsElsewhere) {
  for (const char* path : {"http://a/b", "https://a/b.tar.gz", "s3://bucket/b"}) {
    EXPECT_THAT(CheckIsNoAddress(path),
                StatusIs(absl::StatusCode::kNotFound,
                         AllOf(HasSubstr(std::string("curl -LO ") + path), HasSubstr("www.cs.toronto.edu"))));
  }
}

TEST(HowToMakeTest, NamesTheToolAndForADataSetTheCommand) {
  EXPECT_EQ(HowToMake("lockstep.proto.DatasetFile", "data"),
            "; run cifar_prep first: cifar_prep --input=data --output=dataset.rec");
  EXPECT_EQ(HowToMake("lockstep.proto.DatasetFile", ""),
            "; run cifar_prep first: cifar_prep --input=cifar-10-binary.tar.gz --output=dataset.rec");
  EXPECT_EQ(HowToMake("lockstep.proto.ScaleFile", "data"), "; run scale_run first: the file is its --output");
  EXPECT_EQ(HowToMake("lockstep.proto.CollectiveTimesFile", ""),
            "; run gpu_all_reduce_benchmark first: the file is its --record");
  EXPECT_EQ(HowToMake("", "data"), "");
}

TEST(SchemaAtStartTest, LooksAtTheStartOnly) {
  EXPECT_EQ(SchemaAtStart(""), nullptr);
  EXPECT_EQ(SchemaAtStart("lockstep.proto.NoFile"), nullptr);
  EXPECT_EQ(SchemaAtStart("\x0A\x20 lockstep.proto.SweepFile and more")->tool, "train_sweep");
  EXPECT_EQ(SchemaAtStart(std::string(100, ' ') + "lockstep.proto.SweepFile"), nullptr);
}

}  // namespace
}  // namespace lockstep
