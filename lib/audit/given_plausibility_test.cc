// Remarks of the audit on numbers that were read off: impossible times and wrong labels.
#include <cmath>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GivenPlausibilityTest, TimesOfWholeSeconds) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("times");
  for (uint32_t n : {1, 2, 3}) {
    Add(table, proto::EPOCH_SECONDS, n, 32, absl::StrFormat("%.1f", 40.0 / n - std::fmod(40.0 / n, 1.0)));
  }
  EXPECT_THAT(AuditOf(document, "times")[0].flag(), IsEmpty());  // three whole numbers may be chance
  Add(table, proto::EPOCH_SECONDS, 4, 32, "10.0");
  EXPECT_THAT(AuditOf(document, "times")[3].flag(), ElementsAre("whole_second_clock"));
  EXPECT_THAT(AuditOf(document, "times")[3].sentence(), HasSubstr("off by 10.0 %"));
  table.mutable_value(3)->set_as_printed("10.1");
  EXPECT_THAT(AuditOf(document, "times")[0].flag(), IsEmpty());
}

TEST(GivenPlausibilityTest, ABatchBeyondTheData) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("large");
  Add(table, proto::EPOCH_SECONDS, 1, 50000, "9.1");
  Add(table, proto::EPOCH_SECONDS, 1, 50001, "9.2");
  Add(table, proto::EPOCH_SECONDS, 2, 25001, "9.3");
  auto audited = AuditOf(document, "large");
  EXPECT_THAT(audited[0].flag(), IsEmpty());
  EXPECT_THAT(audited[1].flag(), ElementsAre("batch_beyond_the_data"));
  EXPECT_THAT(audited[2].flag(), ElementsAre("batch_beyond_the_data", "no_one_device_time"));
  document.mutable_claims()->set_batch("total");
  EXPECT_THAT(AuditOf(document, "large")[2].flag(), ElementsAre("no_one_device_time"));
}

TEST(GivenPlausibilityTest, ABatchThatContradictsItsLabel) {
  proto::PublishedTables document = Times();
  document.mutable_facts()->set_batch("per_device");
  EXPECT_THAT(AuditOf(document, "times")[4].flag(), IsEmpty());
  document.mutable_facts()->set_batch("total");
  EXPECT_THAT(AuditOf(document, "times")[0].flag(), IsEmpty());  // one device: both kinds of batch are the same
  EXPECT_THAT(AuditOf(document, "times")[4].flag(), ElementsAre("batch_not_as_labelled"));
}

TEST(GivenPlausibilityTest, TwoTimesWithUnlikeLoaders) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("again");
  Add(table, proto::EPOCH_SECONDS, 1, 128, "25.7");
  table.set_loader_workers(0);
  EXPECT_THAT(AuditOf(document, "again")[0].flag(), ElementsAre("two_values_of_one_quantity"));
  document.mutable_table(0)->set_loader_workers(2);
  const auto audited = AuditOf(document, "again");
  EXPECT_THAT(audited[0].flag(), ElementsAre("two_values_of_one_quantity", "loader_workers_differ"));
  EXPECT_THAT(audited[0].sentence(), HasSubstr("again loads data with 0 workers, times with 2"));
}

TEST(GivenPlausibilityTest, ATimeBelowWhatThePeakAllows) {
  proto::PublishedTables document = Times();
  document.mutable_facts()->set_training_flops_per_image(1e9);  // 50,000 images: 5e13
  document.mutable_facts()->set_peak_flops_per_second(2e12);    // 25 s on one device, 12.5 on two, 6.25 on four
  const auto audited = AuditOf(document, "times");
  for (const proto::AuditedValue& value : audited) {
    const bool too_fast = value.published().as_printed() == "24.457" || value.published().as_printed() == "22.091" ||
                          value.published().as_printed() == "12.345";
    EXPECT_EQ(value.flag_size() == 1, too_fast) << value.ShortDebugString();
    EXPECT_EQ(value.finding(), proto::GIVEN);
  }
  EXPECT_THAT(audited[1].flag(), ElementsAre("clocks_most_likely_not_synchronised"));
}

TEST(GivenPlausibilityTest, LoadingDataTakesNoNegativeTime) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("without loading");
  Add(table, proto::STEP_SECONDS, 1, 32, "39.9");
  Add(table, proto::STEP_SECONDS, 1, 128, "24.9");  // 24.457 s with loading
  const auto audited = AuditOf(document, "times");
  EXPECT_THAT(audited[0].flag(), IsEmpty());
  EXPECT_THAT(audited[1].flag(), ElementsAre("with_loading_faster_than_without"));
}

TEST(GivenPlausibilityTest, OneQuantityPrintedTwice) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("again");
  Add(table, proto::EPOCH_SECONDS, 1, 32, "40.1");   // the same number with fewer digits
  Add(table, proto::EPOCH_SECONDS, 1, 128, "25.7");  // another number
  const auto audited = AuditOf(document, "again");
  EXPECT_THAT(audited[0].flag(), IsEmpty());
  EXPECT_THAT(audited[1].flag(), ElementsAre("two_values_of_one_quantity"));
  EXPECT_THAT(AuditOf(document, "times")[1].flag(), Contains("two_values_of_one_quantity"));
}

}  // namespace
}  // namespace lockstep::testing
