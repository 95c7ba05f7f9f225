#include "lib/published/left_out_names.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/label_words.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(LeftOutNamesTest, AcceptsNamesWithUnknownWords) {
  LeftOutNames names;
  EXPECT_TRUE(names.Add("Comm Overhead", 9));
  EXPECT_TRUE(names.Add("Init time (s)", 6));
  EXPECT_TRUE(names.Add(std::string(100, 'q'), 1));
  EXPECT_THAT(names.Take(), ElementsAre(EqualsProto("name: 'Comm Overhead' numbers: 9"),
                                        EqualsProto("name: 'Init time (s)' numbers: 6"),
                                        EqualsProto("name: '" + std::string(60, 'q') + "' numbers: 1")));
  EXPECT_THAT(names.Take(), IsEmpty());
}

TEST(LeftOutNamesTest, RefusesMisspellingsAndContradictions) {
  LeftOutNames names;
  for (const char* name :
       {"Epcoh time (s)", "Speedupp", "Througput", "eficiency", "loss accuracy zeta", "0 GPUs", "loss"}) {
    EXPECT_FALSE(names.Add(name, 1)) << name;
  }
  EXPECT_THAT(names.Take(), IsEmpty());
  EXPECT_EQ(names.Suggestion("Througput"), "; did you mean 'throughput'?");
  EXPECT_EQ(names.Suggestion("Comm Overhead"), "");
}

TEST(LeftOutNamesTest, AKnownWordWithoutAMeaningIsNoMisspelling) {
  LeftOutNames names;
  EXPECT_TRUE(names.Add("total GPU hours", 1));
}

TEST(LeftOutNamesTest, AcceptsAHundredNames) {
  LeftOutNames names;
  for (size_t i = 0; i < kMaxLeftOutNames; ++i) {
    EXPECT_TRUE(names.Add("zeta", 1));
  }
  EXPECT_FALSE(names.Add("zeta", 1));
}

TEST(LeftOutTextTest, NamesTwentyAndCountsTheOthers) {
  proto::PublishedTables tables;
  EXPECT_EQ(LeftOutText(tables), "");
  proto::LeftOutName* name = tables.add_table()->add_left_out();
  name->set_name("Init");
  name->set_numbers(1);
  name = tables.add_table()->add_left_out();
  name->set_name("Comm Overhead");
  name->set_numbers(9);
  EXPECT_EQ(LeftOutText(tables), "'Init' (1 number), 'Comm Overhead' (9 numbers)");
  for (int i = 0; i < 20; ++i) {
    tables.mutable_table(1)->add_left_out()->set_name("x");
  }
  EXPECT_THAT(LeftOutText(tables), HasSubstr(", and 2 more"));
}

TEST(KnownLabelWordsTest, HoldsTheWordsOfAllLists) {
  for (const char* word : {"epoch", "speedup", "gpus", "batch", "milliseconds", "images", "bf16", "memory", "median"}) {
    EXPECT_THAT(KnownLabelWords(), Contains(word));
  }
  EXPECT_THAT(KnownLabelWords(), Not(Contains("epoch time")));
}

}  // namespace
}  // namespace lockstep
