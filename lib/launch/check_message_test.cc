#include "lib/launch/check_message.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

proto::AgentMessage Description() {
  proto::AgentMessage message;
  proto::ProcessDescription& description = *message.mutable_description();
  description.set_rank(1);
  description.set_size(2);
  description.set_local_rank(1);
  description.set_host_name("node7");
  description.set_build_id(std::string(64, 'b'));
  description.add_setting()->set_name("--seed");
  description.set_dataset(std::string(64, 'd'));
  return message;
}

proto::AgentMessage Order() {
  proto::AgentMessage message;
  proto::AgentOrder& order = *message.mutable_order();
  order.set_size(2);
  order.set_local_size(1);
  order.set_store_host("10.0.0.1");
  order.set_store_port(29500);
  order.set_task("point");
  order.set_timeout_seconds(60);
  order.set_point(1);
  return message;
}

proto::AgentMessage Exit(bool signalled, int code) {
  proto::AgentMessage message;
  message.mutable_exit()->set_signalled(signalled);
  message.mutable_exit()->set_code(code);
  return message;
}

proto::AgentMessage Stop(int signal_number) {
  proto::AgentMessage message;
  message.set_stop_signal(signal_number);
  return message;
}

proto::AgentMessage Verdict(int code, const std::string& text) {
  proto::AgentMessage message;
  message.mutable_verdict()->set_exit_code(code);
  message.mutable_verdict()->set_message(text);
  return message;
}

void ExpectRefused(const proto::AgentMessage& message, const std::string& field) {
  EXPECT_THAT(CheckMessage(message), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(field))) << message.DebugString();
}

TEST(CheckMessageTest, MessagesOfAProcessAreAccepted) {
  for (const proto::AgentMessage& message : {Description(), Order(), Exit(false, 0), Exit(false, 255), Exit(true, 9),
                                             Stop(2), Stop(15), Verdict(143, "stopped")}) {
    EXPECT_THAT(CheckMessage(message), IsOk());
  }
  proto::AgentMessage message;
  message.set_heartbeat(true);
  EXPECT_THAT(CheckMessage(message), IsOk());
  message.set_end_rank(true);
  EXPECT_THAT(CheckMessage(message), IsOk());
}

TEST(CheckMessageTest, AnImpossibleDescriptionIsRefused) {
  const std::vector<std::pair<std::string, std::function<void(proto::ProcessDescription&)>>> changes = {
      {"description.size", [](auto& description) { description.set_size(0); }},
      {"description.size", [](auto& description) { description.set_size(1'000'000); }},
      {"description.rank", [](auto& description) { description.set_rank(2); }},
      {"description.local_rank", [](auto& description) { description.set_local_rank(2); }},
      {"description.gpus", [](auto& description) { description.set_gpus(std::numeric_limits<uint32_t>::max()); }},
      {"description.host_name", [](auto& description) { description.set_host_name(""); }},
      {"description.host_name", [](auto& description) { description.set_host_name("a\x1b[2J"); }},
      {"description.host_name", [](auto& description) { description.set_host_name("caf\xe9"); }},
      {"description.host_name", [](auto& description) { description.set_host_name(std::string(256, 'a')); }},
      {"description.build_id", [](auto& description) { description.set_build_id(""); }},
      {"description.build_id", [](auto& description) { description.set_build_id(std::string(64, 'x')); }},
      {"description.setting.name", [](auto& description) { description.add_setting(); }},
      {"description.dataset", [](auto& description) { description.set_dataset("some"); }},
  };
  for (const auto& [field, change] : changes) {
    proto::AgentMessage message = Description();
    change(*message.mutable_description());
    ExpectRefused(message, field);
  }
}

TEST(CheckMessageTest, AnOrderThatCannotBeIsRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, std::function<void(proto::AgentOrder&)>>> changes = {
      {"order.size", [](auto& order) { order.set_size(0); }},
      {"order.local_size", [](auto& order) { order.set_local_size(3); }},
      {"order.store_port", [](auto& order) { order.set_store_port(65536); }},
      {"order.store_host", [](auto& order) { order.set_store_host("\n"); }},
      {"order.task", [](auto& order) { order.set_task(""); }},
      {"order.point", [](auto& order) { order.set_point(0); }},
      {"order.timeout_seconds", [](auto& order) { order.set_timeout_seconds(0); }},
      {"order.timeout_seconds", [](auto& order) { order.set_timeout_seconds(-1); }},
      {"order.timeout_seconds", [](auto& order) { order.set_timeout_seconds(std::nan("")); }},
      {"order.timeout_seconds", [infinity](auto& order) { order.set_timeout_seconds(infinity); }},
  };
  for (const auto& [field, change] : changes) {
    proto::AgentMessage message = Order();
    change(*message.mutable_order());
    ExpectRefused(message, field);
  }
}

TEST(CheckMessageTest, OtherMessagesThatCannotBeAreRefused) {
  ExpectRefused(proto::AgentMessage(), "no kind");
  ExpectRefused(Exit(true, 0), "exit.code");
  ExpectRefused(Exit(true, 65), "exit.code");
  ExpectRefused(Exit(false, 256), "exit.code");
  ExpectRefused(Exit(false, -1), "exit.code");
  ExpectRefused(Stop(0), "stop_signal");
  ExpectRefused(Stop(9), "stop_signal");
  ExpectRefused(Verdict(-1, ""), "verdict.exit_code");
  ExpectRefused(Verdict(0, std::string(kMaxVerdictBytes + 1, 'x')), "verdict.message");
}

}  // namespace
}  // namespace lockstep
