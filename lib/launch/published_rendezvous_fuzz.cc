// Reads arbitrary bytes as text from torchrun's store. They are either refused, in an error that does not contain them,
// or written again unchanged.
#include "absl/strings/ascii.h"
#include "lib/launch/published_rendezvous.h"
#include "lib/testing/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  const absl::string_view text = Bytes(data, size);
  const absl::StatusOr<PublishedRendezvous> rendezvous = ReadPublishedRendezvous(text);
  if (!rendezvous.ok()) {
    CheckUserError(rendezvous.status());
    FUZZ_CHECK(rendezvous.status().code() == absl::StatusCode::kUnavailable);
    return 0;
  }
  FUZZ_CHECK(rendezvous->port > 0);
  FUZZ_CHECK(ToText(*rendezvous) == absl::AsciiStrToLower(text));
  return 0;
}
