// Reads arbitrary bytes as text from torchrun's store. They are either refused, in an error that does not contain them,
// or written again unchanged.
#include "absl/strings/ascii.h"
#include "lib/launch/published_meeting.h"
#include "lib/testing/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  const absl::string_view text = Bytes(data, size);
  const absl::StatusOr<PublishedMeeting> meeting = ReadPublishedMeeting(text);
  if (!meeting.ok()) {
    CheckUserError(meeting.status());
    FUZZ_CHECK(meeting.status().code() == absl::StatusCode::kUnavailable);
    return 0;
  }
  FUZZ_CHECK(meeting->port > 0);
  FUZZ_CHECK(ToText(*meeting) == absl::AsciiStrToLower(text));
  return 0;
}
