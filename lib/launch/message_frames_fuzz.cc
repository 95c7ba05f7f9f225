// Any bytes as what an agent's connection brings: refused as no messages, or messages that are written and read again
// without a change, in whatever pieces they come.
#include <string>
#include <vector>

#include "lib/launch/message_frames.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

// The messages, written again, of a stream that comes in pieces of so many bytes; false when it holds something else.
bool Read(absl::string_view stream, size_t piece, std::string& written) {
  FrameParser parser;
  while (!stream.empty()) {
    parser.Append(stream.substr(0, piece));
    stream.remove_prefix(std::min(piece, stream.size()));
    proto::AgentMessage message;
    absl::StatusOr<bool> found = parser.Next(message);
    for (; found.ok() && *found; found = parser.Next(message)) {
      written += ToFrame(message);
    }
    if (!found.ok()) {
      CheckUserError(found.status());
      FUZZ_CHECK(found.status().code() == absl::StatusCode::kDataLoss);
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  std::string whole;
  std::string by_one;
  const bool good = testing::Read(Bytes(data, size), size, whole);
  FUZZ_CHECK(testing::Read(Bytes(data, size), 1, by_one) == good && by_one == whole);
  std::string again;
  FUZZ_CHECK(testing::Read(whole, whole.size(), again) && again == whole);
  return 0;
}
