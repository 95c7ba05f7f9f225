// Reads arbitrary bytes as a message between the leader and an agent. The message is either refused with a printable
// line, or holds numbers that the reader may use without a further check.
#include <cmath>

#include "lib/launch/check_message.h"
#include "lib/testing/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  proto::AgentMessage message;
  if (!message.ParseFromArray(data, static_cast<int>(size))) {
    return 0;
  }
  const absl::Status status = CheckMessage(message);
  if (!status.ok()) {
    CheckUserError(status);
    FUZZ_CHECK(status.code() == absl::StatusCode::kDataLoss);
    return 0;
  }
  FUZZ_CHECK(message.kind_case() != proto::AgentMessage::KIND_NOT_SET);
  if (message.has_description()) {
    const proto::ProcessDescription& description = message.description();
    FUZZ_CHECK(description.local_rank() <= description.rank() && description.rank() < description.size());
    FUZZ_CHECK(!description.host_name().empty() && description.host_name().find('\n') == std::string::npos);
  }
  if (message.has_order()) {
    FUZZ_CHECK(std::isfinite(message.order().timeout_seconds()) && message.order().timeout_seconds() > 0);
    FUZZ_CHECK(message.order().store_port() > 0 && message.order().store_port() <= UINT16_MAX);
  }
  if (message.has_exit()) {
    FUZZ_CHECK(message.exit().code() >= 0 && message.exit().code() <= 255);
  }
  return 0;
}
