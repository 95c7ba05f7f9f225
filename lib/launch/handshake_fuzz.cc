// Feeds arbitrary bytes of an unproven connection to either side, in pieces of any size. They must never be a proof,
// and at most kHandshakeBytes may be consumed. The first byte selects the side, and whether the other side's true
// greeting comes first.
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/launch/handshake.h"
#include "lib/testing/fuzz.h"

namespace lockstep::testing {
namespace {

// Returns the output of a side that receives the bytes in pieces of `piece` bytes, followed by "1" if the handshake
// failed, else "0".
std::string Run(Side side, absl::string_view bytes, size_t piece) {
  static const RunSecret* const secret = new RunSecret(*RunSecret::FromToken("a token that nobody guesses"));
  Handshake handshake(side, *secret, std::string(kNonceBytes, 'n'));
  std::string sent = handshake.TakeOutput();
  size_t taken = 0;
  bool failed = false;
  while (!bytes.empty()) {
    absl::string_view part = bytes.substr(0, piece);
    const size_t wanted = handshake.BytesNeeded();
    const size_t before = part.size();
    const absl::StatusOr<bool> proven = handshake.Consume(part);
    FUZZ_CHECK(!proven.ok() || !*proven);
    FUZZ_CHECK(!failed || before == part.size());
    FUZZ_CHECK(piece > 1 || before - part.size() <= wanted);
    FUZZ_CHECK(proven.ok() || handshake.BytesNeeded() == 0);
    taken += before - part.size();
    failed = !proven.ok();
    bytes.remove_prefix(before);
    absl::StrAppend(&sent, handshake.TakeOutput());
  }
  FUZZ_CHECK(taken <= kHandshakeBytes);
  FUZZ_CHECK(sent.size() <= kHandshakeBytes);
  FUZZ_CHECK(side == Side::kConnecting || sent.size() <= kHandshakeBytes - kDigestBytes);
  return absl::StrCat(sent, failed);
}

}  // namespace
}  // namespace lockstep::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  if (size == 0) {
    return 0;
  }
  const Side side = data[0] % 2 == 0 ? Side::kConnecting : Side::kListening;
  const std::string greeting = data[0] / 2 % 2 == 0 ? absl::StrCat(kHandshakeMagic, std::string(kNonceBytes, 'm')) : "";
  const std::string bytes = absl::StrCat(greeting, Bytes(data + 1, size - 1));
  FUZZ_CHECK(lockstep::testing::Run(side, bytes, 1) == lockstep::testing::Run(side, bytes, bytes.size() + 1));
  return 0;
}
