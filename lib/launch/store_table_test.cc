#include "lib/launch/store_table.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

StoreRequest Request(StoreOperation operation, std::vector<std::string> keys, std::string value = "") {
  StoreRequest request;
  request.operation = operation;
  request.keys = std::move(keys);
  request.value = std::move(value);
  return request;
}

class StoreTableTest : public ::testing::Test {
 protected:
  std::vector<ClientResponse> Handle(uint64_t client, const StoreRequest& request,
                                     absl::Duration at = absl::ZeroDuration()) {
    std::vector<ClientResponse> responses;
    table_.Handle(client, request, start_ + at, responses);
    return responses;
  }

  // Returns the response to a request that does not wait.
  StoreResponse Ask(const StoreRequest& request) {
    const std::vector<ClientResponse> responses = Handle(0, request);
    EXPECT_THAT(responses, SizeIs(1));
    return responses.empty() ? StoreResponse() : responses[0].response;
  }

  StoreTable table_ = StoreTable(10'000);
  const MonotonicTime start_ = MonotonicTime::Now();
};

TEST_F(StoreTableTest, AGetWaitsUntilTheKeyIsSet) {
  StoreRequest get = Request(StoreOperation::kGet, {"k"});
  get.timeout = absl::Seconds(10);
  EXPECT_THAT(Handle(1, get), IsEmpty());
  EXPECT_EQ(table_.NextExpiry(), start_ + absl::Seconds(10));
  const std::vector<ClientResponse> responses = Handle(2, Request(StoreOperation::kSet, {"k"}, "v"));
  ASSERT_THAT(responses, SizeIs(2));
  EXPECT_EQ(responses[0].client, 2u);
  EXPECT_EQ(responses[1].client, 1u);
  EXPECT_EQ(responses[1].response.value, "v");
  EXPECT_EQ(table_.NextExpiry(), MonotonicTime::InfiniteFuture());
}

TEST_F(StoreTableTest, AWaitForSeveralKeysEndsWithTheLast) {
  StoreRequest wait = Request(StoreOperation::kWait, {"a", "b"});
  wait.timeout = absl::Seconds(10);
  EXPECT_THAT(Handle(1, wait), IsEmpty());
  EXPECT_THAT(Handle(2, Request(StoreOperation::kSet, {"b"})), SizeIs(1));
  EXPECT_THAT(Handle(2, Request(StoreOperation::kSet, {"a"})), SizeIs(2));
}

TEST_F(StoreTableTest, AWaitThatEndsNamesTheMissingKey) {
  StoreRequest wait = Request(StoreOperation::kWait, {"a", "b"});
  wait.timeout = absl::Seconds(10);
  Handle(1, wait);
  Handle(2, Request(StoreOperation::kSet, {"a"}));
  std::vector<ClientResponse> responses;
  table_.Expire(start_ + absl::Seconds(9), responses);
  EXPECT_THAT(responses, IsEmpty());
  table_.Expire(start_ + absl::Seconds(10), responses);
  ASSERT_THAT(responses, SizeIs(1));
  EXPECT_EQ(responses[0].response.outcome, StoreOutcome::kTimedOut);
  EXPECT_EQ(responses[0].response.value, "b");
}

TEST_F(StoreTableTest, AClientThatIsGoneIsNotAnswered) {
  StoreRequest get = Request(StoreOperation::kGet, {"k"});
  get.timeout = absl::Seconds(10);
  Handle(1, get);
  table_.DropClient(1);
  EXPECT_THAT(Handle(2, Request(StoreOperation::kSet, {"k"})), SizeIs(1));
}

TEST_F(StoreTableTest, AddsToANumber) {
  StoreRequest add = Request(StoreOperation::kAdd, {"n"});
  add.amount = 5;
  EXPECT_EQ(Ask(add).number, 5);
  add.amount = -7;
  EXPECT_EQ(Ask(add).number, -2);
  Ask(Request(StoreOperation::kSet, {"n"}, "9223372036854775807"));
  add.amount = 1;
  EXPECT_EQ(Ask(add).outcome, StoreOutcome::kRefused);
  Ask(Request(StoreOperation::kSet, {"n"}, "five"));
  EXPECT_EQ(Ask(add).outcome, StoreOutcome::kRefused);
}

TEST_F(StoreTableTest, ComparesBeforeItSets) {
  StoreRequest swap = Request(StoreOperation::kCompareSet, {"k"}, "new");
  swap.expected = "old";
  EXPECT_EQ(Ask(swap).value, "old");  // key not set: returns `expected`
  EXPECT_EQ(Ask(Request(StoreOperation::kHas, {"k"})).number, 0);
  swap.expected = "";
  EXPECT_EQ(Ask(swap).value, "new");
  swap.value = "newer";
  EXPECT_EQ(Ask(swap).value, "new");
  swap.expected = "new";
  EXPECT_EQ(Ask(swap).value, "newer");
}

TEST_F(StoreTableTest, CountsAndDeletesKeys) {
  Ask(Request(StoreOperation::kSet, {"a"}));
  Ask(Request(StoreOperation::kSet, {"b"}));
  EXPECT_EQ(Ask(Request(StoreOperation::kCountKeys, {})).number, 2);
  EXPECT_EQ(Ask(Request(StoreOperation::kHas, {"a", "b"})).number, 1);
  EXPECT_EQ(Ask(Request(StoreOperation::kDelete, {"a"})).number, 1);
  EXPECT_EQ(Ask(Request(StoreOperation::kDelete, {"a"})).number, 0);
  EXPECT_EQ(Ask(Request(StoreOperation::kHas, {"a", "b"})).number, 0);
}

TEST_F(StoreTableTest, HoldsNoMoreBytesThanItsLimit) {
  const std::string value(4'000, 'v');
  EXPECT_EQ(Ask(Request(StoreOperation::kSet, {"a"}, value)).outcome, StoreOutcome::kDone);
  EXPECT_EQ(Ask(Request(StoreOperation::kSet, {"b"}, value)).outcome, StoreOutcome::kDone);
  EXPECT_EQ(Ask(Request(StoreOperation::kSet, {"c"}, value)).outcome, StoreOutcome::kRefused);
  EXPECT_EQ(Ask(Request(StoreOperation::kSet, {"a"}, value + value)).outcome, StoreOutcome::kRefused);
  EXPECT_EQ(Ask(Request(StoreOperation::kSet, {"a"}, value)).outcome, StoreOutcome::kDone);  // replaces its own bytes
  EXPECT_EQ(Ask(Request(StoreOperation::kDelete, {"a"})).number, 1);
  EXPECT_EQ(Ask(Request(StoreOperation::kSet, {"c"}, value)).outcome, StoreOutcome::kDone);
  Ask(Request(StoreOperation::kDelete, {"b"}));
  Ask(Request(StoreOperation::kDelete, {"c"}));
  EXPECT_EQ(table_.bytes(), 0u);
}

TEST_F(StoreTableTest, ManyEmptyKeysAreCountedToo) {
  int done = 0;
  for (int i = 0; i < 1'000; ++i) {
    done +=
        Ask(Request(StoreOperation::kSet, {std::string(1, static_cast<char>(i % 256)) + std::to_string(i)})).outcome ==
        StoreOutcome::kDone;
  }
  EXPECT_LT(done, 10'000 / static_cast<int>(StoreTable::kEntryBytes));
}

}  // namespace
}  // namespace lockstep
