// Reads arbitrary bytes as a request to the ranks' store. They are either refused, or parsed, handled by a table, and
// written again to the same bytes.
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/launch/store_messages.h"
#include "lib/launch/store_table.h"
#include "lib/testing/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  absl::StatusOr<StoreRequest> request = ParseStoreRequest(Bytes(data, size));
  if (!request.ok()) {
    CheckUserError(request.status());
    return 0;
  }
  FUZZ_CHECK(EncodeStoreRequest(*request) == Bytes(data, size));
  constexpr size_t kMaxBytes = 4096;  // small enough that some values are refused
  StoreTable table(kMaxBytes);
  std::vector<ClientResponse> responses;
  const MonotonicTime now = MonotonicTime::Now();
  table.Handle(1, *request, now, responses);
  table.Handle(2, *request, now, responses);
  table.Expire(now + kMaxStoreTimeout, responses);
  FUZZ_CHECK(responses.size() == 2);
  FUZZ_CHECK(table.bytes() <= kMaxBytes);
  FUZZ_CHECK(table.NextExpiry() == MonotonicTime::InfiniteFuture());
  return 0;
}
