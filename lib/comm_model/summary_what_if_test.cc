#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/comm_model/summary.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

proto::CommModelRecord FromText(const std::string& text) {
  proto::CommModelRecord record;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &record));
  return record;
}

// Fields that are equal in all rows below.
constexpr char kTimes[] = R"(
  variant: 'as given' batch_per_device: 32 algorithm: 'ring' all_reduce_seconds { value: 660e-6 }
  device_step_seconds { value: 1.1e-3 } overhead_seconds { value: 500e-6 } straggler_seconds { value: 94e-6 }
  exposed_seconds { value: 66e-6 } step_seconds { value: 1.76e-3 } epoch_seconds { value: 0.044 } speedup { value: 2.5 }
  efficiency { value: 0.625 })";

std::vector<proto::CommModelRecord> Records() {
  return {FromText("spec { model_spec { min_gain: 1.5 } cluster { inter_host { latency_seconds: 1e-5 bytes_per_second: "
                   "5e10 source: 'flags' } inter_host_flat { latency_seconds: 2e-5 bytes_per_second: 1e9 } } }"),
          FromText(absl::StrCat("what_if { ", kTimes, "devices: 2 hosts: 1 exchange: 'one host' ",
                                "loss_bytes_per_second { absent_reason: 'one host' } }")),
          FromText(absl::StrCat("what_if { ", kTimes, "devices: 4 hosts: 2 exchange: 'flat' stops_paying_at: 64 ",
                                "loss_bytes_per_second { absent_reason: 'always: the latency' } bend: 'latency: 6' }")),
          FromText(absl::StrCat("what_if { ", kTimes, "devices: 4 hosts: 2 exchange: 'hierarchical' ",
                                "loss_bytes_per_second { value: 12.5e9 } }"))};
}

TEST(WhatIfTextTest, OneTableHasAllExchanges) {
  const std::string text = WhatIfText(Records());
  EXPECT_THAT(text, HasSubstr("\nWhat if, as given (modelled)\n"
                              "  link between hosts, per device: 10 us, 50 GB/s (flags)\n"
                              "  link between hosts, per device, flat exchange: 20 us, 1 GB/s\n"
                              "       N hosts  batch exchange     algorithm "));
  EXPECT_THAT(text, HasSubstr("\n       2     1     32 one host     ring                      660       1100        "
                              "500         66         94      1.76 "
                              "               0.044      2.5    62.5  no          -         -\n"));
  EXPECT_THAT(text, HasSubstr("\n  step = 1-dev (a step of one device) + overhd "));
  EXPECT_THAT(text, HasSubstr("\n  pays: an epoch is at least 1.5 times as fast as with half the devices; stops at: "));
  EXPECT_THAT(text, HasSubstr("     64    always\n"));
  EXPECT_THAT(text, HasSubstr("hierarchical ring "));
  EXPECT_THAT(text, HasSubstr("        -      12.5\n"));
  EXPECT_THAT(text, HasSubstr("\n  N=4, batch 32, flat: latency: 6\n"));
}

TEST(WhatIfTextTest, RowsOfAnEarlierVersionHaveNoExchange) {
  const std::string text = WhatIfText({FromText(absl::StrCat("what_if { ", kTimes, "devices: 4 hosts: 2 }"))});
  EXPECT_THAT(text, HasSubstr("     32 -            ring "));
  EXPECT_THAT(text, Not(HasSubstr("link between hosts, per")));
}

TEST(WhatIfTextTest, WithoutAnswersThereIsNoText) { EXPECT_THAT(WhatIfText({}), IsEmpty()); }

}  // namespace
}  // namespace lockstep
