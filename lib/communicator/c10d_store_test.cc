#include "lib/communicator/c10d_store.h"

#include <chrono>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/launch/peer_status.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

class C10dStoreTest : public ::testing::Test {
 protected:
  C10dStoreTest() {
    StoreOptions options;
    options.is_host = true;
    store_ = *Store::Open(options);
    view_ = MakeC10dStore(*store_);
  }

  std::unique_ptr<Store> store_;
  c10::intrusive_ptr<c10d::Store> view_;
};

TEST_F(C10dStoreTest, HoldsWhatLibTorchSets) {
  view_->set("key", std::string("\0value", 6));
  EXPECT_EQ(*store_->Get("key"), std::string("\0value", 6));
  EXPECT_EQ(view_->get_to_str("key"), std::string("\0value", 6));
  EXPECT_TRUE(view_->check({"key"}));
  EXPECT_FALSE(view_->check({"key", "other"}));
  EXPECT_EQ(view_->add("count", 3), 3);
  EXPECT_EQ(view_->add("count", -1), 2);
  EXPECT_EQ(view_->compareSet("key", "wrong", "new"), std::string("\0value", 6));
  EXPECT_EQ(view_->compareSet("fresh", "", "new"), "new");
  EXPECT_EQ(view_->getNumKeys(), 3);
  EXPECT_TRUE(view_->deleteKey("key"));
  EXPECT_FALSE(view_->deleteKey("key"));
}

TEST_F(C10dStoreTest, LibTorchsPrefixesAndCopiesReachTheSameStore) {
  c10d::PrefixStore prefix("group", view_);
  prefix.set("key", "value");
  EXPECT_EQ(view_->clone()->get_to_str("group/key"), "value");
}

TEST_F(C10dStoreTest, AWaitEndsAtItsTimeoutAsAnError) {
  EXPECT_THAT(CatchPeerErrors("waiting", [&] { view_->wait({"nobody"}, std::chrono::milliseconds(20)); }),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("nobody")));
  view_->setTimeout(std::chrono::milliseconds(20));
  EXPECT_THAT(CatchPeerErrors("waiting", [&] { view_->get("nobody"); }),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("nobody")));
  view_->set("key", "value");
  EXPECT_THAT(CatchPeerErrors("waiting", [&] { view_->wait({"key"}); }), IsOk());
}

TEST_F(C10dStoreTest, SeveralThreadsUseCopiesOfIt) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([copy = view_->clone()] {
      for (int round = 0; round < 50; ++round) {
        copy->add("count", 1);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(view_->add("count", 0), 200);
}

}  // namespace
}  // namespace lockstep
