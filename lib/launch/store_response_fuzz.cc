// Reads arbitrary bytes as a response of the ranks' store. They are either refused, or parsed and written again to the
// same bytes.
#include "absl/strings/string_view.h"
#include "lib/launch/store_messages.h"
#include "lib/testing/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  const absl::StatusOr<StoreResponse> response = ParseStoreResponse(Bytes(data, size));
  if (!response.ok()) {
    CheckUserError(response.status());
    return 0;
  }
  FUZZ_CHECK(EncodeStoreResponse(*response) == Bytes(data, size));
  return 0;
}
