#include "lib/launch/store.h"

#include <csignal>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/stop_signal.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Store> OpenAlone(absl::Duration timeout = absl::Seconds(60)) {
  StoreOptions options;
  options.is_host = true;
  options.timeout = timeout;
  auto store = Store::Open(options);
  EXPECT_THAT(store, IsOk());
  return store.ok() ? *std::move(store) : nullptr;
}

TEST(StoreTest, HoldsValuesOfAnyBytes) {
  const auto store = OpenAlone();
  const std::string value("\0\xff\n", 3);
  ASSERT_THAT(store->Set("key", value), IsOk());
  const auto read = store->Get("key");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(*read, value);
  EXPECT_TRUE(*store->Has({"key"}));
  EXPECT_FALSE(*store->Has({"key", "other"}));
  EXPECT_TRUE(*store->Has({}));
  EXPECT_THAT(store->Wait({}, absl::Seconds(1)), IsOk());
  EXPECT_TRUE(*store->Delete("key"));
  EXPECT_EQ(*store->CountKeys(), 0);
}

TEST(StoreTest, AWaitThatEndsNamesTheKey) {
  const auto store = OpenAlone(absl::Milliseconds(20));
  EXPECT_THAT(store->Get("nobody\nsets it"),
              StatusIs(absl::StatusCode::kUnavailable, AllOf(HasSubstr("20ms"), HasSubstr("nobody\\nsets it"))));
}

TEST(StoreTest, GatheringNamesTheRankThatDoesNotCome) {
  const auto store = OpenAlone(absl::Milliseconds(20));
  EXPECT_THAT(store->AllGather(0, 2, ""),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no data from rank 1 of 2")));
}

TEST(StoreTest, ManyRoundsOfGatheringLeaveOneBehind) {
  const auto store = OpenAlone();
  for (int round = 0; round < 50; ++round) {
    const auto all = store->AllGather(0, 1, absl::StrCat("round ", round));
    ASSERT_THAT(all, IsOk());
    EXPECT_THAT(*all, ElementsAre(absl::StrCat("round ", round)));
  }
  EXPECT_EQ(*store->CountKeys(), 1);
}

TEST(StoreTest, GroupsGatherIndependentlyOfAllRanks) {
  const auto store = OpenAlone(absl::Milliseconds(20));
  for (int round = 0; round < 3; ++round) {
    EXPECT_THAT(*store->AllGatherIn("host 1", 0, 1, absl::StrCat("in ", round)),
                ElementsAre(absl::StrCat("in ", round)));
  }
  EXPECT_THAT(*store->AllGather(0, 1, "all"), ElementsAre("all"));
  EXPECT_THAT(*store->AllGatherIn("host 2", 0, 1, "other"), ElementsAre("other"));
  EXPECT_EQ(*store->CountKeys(), 3);  // the last round of each group and of all ranks
  EXPECT_THAT(store->AllGatherIn("host 1", 0, 2, ""),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no data from rank 1 of 2 in host 1")));
}

TEST(StoreTest, SeveralThreadsUseIt) {
  const auto store = OpenAlone();
  std::thread sets([&] {
    for (int i = 0; i < 100; ++i) {
      EXPECT_THAT(store->Set(absl::StrCat(i), "v"), IsOk());
    }
  });
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(store->Add("count", 1), IsOk());
  }
  sets.join();
  EXPECT_EQ(*store->CountKeys(), 101);
}

// Must be the last test, because the stop flag is never reset.
TEST(StoreTest, ZAStopSignalEndsAWaitButNotACallThatIsAnsweredAtOnce) {
  InstallStopSignals();
  const auto store = OpenAlone();
  raise(SIGTERM);
  EXPECT_THAT(store->Set("key", "value"), IsOk());
  EXPECT_THAT(store->Get("key"), IsOk());
  EXPECT_THAT(store->Get("nobody sets it"), StatusIs(absl::StatusCode::kCancelled, HasSubstr("SIGTERM")));
}

}  // namespace
}  // namespace lockstep
