#include "lib/launch/store_messages.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::_;
using ::testing::ElementsAre;

constexpr auto kDataLoss = absl::StatusCode::kDataLoss;

StoreRequest CompareSet() {
  StoreRequest request;
  request.operation = StoreOperation::kCompareSet;
  request.keys = {std::string("k\0y", 3)};
  request.value = std::string(300, 'v');
  request.expected = "\xff";
  return request;
}

TEST(StoreMessagesTest, ReadsTheRequestThatItWrote) {
  const auto read = ParseStoreRequest(EncodeStoreRequest(CompareSet()));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->operation, StoreOperation::kCompareSet);
  EXPECT_THAT(read->keys, ElementsAre(std::string("k\0y", 3)));
  EXPECT_EQ(read->value, std::string(300, 'v'));
  EXPECT_EQ(read->expected, "\xff");
}

TEST(StoreMessagesTest, ReadsTimeoutAndAmount) {
  StoreRequest wait;
  wait.operation = StoreOperation::kWait;
  wait.keys = {"a", "", "c"};
  wait.timeout = absl::Milliseconds(1500);
  const auto read = ParseStoreRequest(EncodeStoreRequest(wait));
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(read->keys, ElementsAre("a", "", "c"));
  EXPECT_EQ(read->timeout, absl::Milliseconds(1500));
  StoreRequest add;
  add.operation = StoreOperation::kAdd;
  add.keys = {"n"};
  add.amount = -7;
  const auto sum = ParseStoreRequest(EncodeStoreRequest(add));
  ASSERT_THAT(sum, IsOk());
  EXPECT_EQ(sum->amount, -7);
}

TEST(StoreMessagesTest, ReadsTheResponseThatItWrote) {
  const auto read = ParseStoreResponse(EncodeStoreResponse({StoreOutcome::kTimedOut, -3, "missing"}));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->outcome, StoreOutcome::kTimedOut);
  EXPECT_EQ(read->number, -3);
  EXPECT_EQ(read->value, "missing");
}

TEST(StoreMessagesTest, RefusesEveryPartOfAMessageAndAnyByteAfterIt) {
  const std::string request = EncodeStoreRequest(CompareSet());
  const std::string response = EncodeStoreResponse({StoreOutcome::kDone, 1, "value"});
  for (size_t length = 0; length < request.size(); ++length) {
    EXPECT_THAT(ParseStoreRequest(request.substr(0, length)), StatusIs(kDataLoss, _)) << length;
  }
  for (size_t length = 0; length < response.size(); ++length) {
    EXPECT_THAT(ParseStoreResponse(response.substr(0, length)), StatusIs(kDataLoss, _)) << length;
  }
  EXPECT_THAT(ParseStoreRequest(request + "x"), StatusIs(kDataLoss, _));
  EXPECT_THAT(ParseStoreResponse(response + "x"), StatusIs(kDataLoss, _));
}

TEST(StoreMessagesTest, RefusesWhatIsBeyondTheLimits) {
  StoreRequest long_key;
  long_key.operation = StoreOperation::kDelete;
  long_key.keys = {std::string(kMaxStoreKeyBytes + 1, 'k')};
  EXPECT_THAT(ParseStoreRequest(EncodeStoreRequest(long_key)), StatusIs(kDataLoss, _));
  StoreRequest many_keys;
  many_keys.operation = StoreOperation::kHas;
  many_keys.keys.assign(kMaxStoreKeys + 1, "k");
  EXPECT_THAT(ParseStoreRequest(EncodeStoreRequest(many_keys)), StatusIs(kDataLoss, _));
  StoreRequest long_wait;
  long_wait.operation = StoreOperation::kGet;
  long_wait.keys = {"k"};
  long_wait.timeout = kMaxStoreTimeout + absl::Milliseconds(1);
  EXPECT_THAT(ParseStoreRequest(EncodeStoreRequest(long_wait)), StatusIs(kDataLoss, _));
  const std::string long_value(kMaxStoreValueBytes + 1, 'v');
  EXPECT_THAT(ParseStoreResponse(EncodeStoreResponse({StoreOutcome::kDone, 0, long_value})), StatusIs(kDataLoss, _));
}

TEST(StoreMessagesTest, RefusesFieldsThatTheOperationDoesNotHave) {
  StoreRequest no_key;
  no_key.operation = StoreOperation::kGet;
  EXPECT_THAT(ParseStoreRequest(EncodeStoreRequest(no_key)), StatusIs(kDataLoss, _));
  StoreRequest get_with_value;
  get_with_value.operation = StoreOperation::kGet;
  get_with_value.keys = {"k"};
  get_with_value.value = "v";
  EXPECT_THAT(ParseStoreRequest(EncodeStoreRequest(get_with_value)), StatusIs(kDataLoss, _));
  StoreRequest set_that_waits;
  set_that_waits.operation = StoreOperation::kSet;
  set_that_waits.keys = {"k"};
  set_that_waits.timeout = absl::Seconds(1);
  EXPECT_THAT(ParseStoreRequest(EncodeStoreRequest(set_that_waits)), StatusIs(kDataLoss, _));
}

}  // namespace
}  // namespace lockstep
