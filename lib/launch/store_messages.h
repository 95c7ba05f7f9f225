// Messages of the ranks' store: one request from a client, one response from the server. This file defines their bytes
// and limits, and does not depend on sockets (store_client.h, store_server.h).
//
// Integers are big-endian. Every request has the same layout, and so has every response:
//
//   request   operation (1 byte), timeout in ms (8), amount (8), number of keys (2), keys, value, expected value
//   response  outcome (1 byte), number (8), value
//
// A key is a length (2 bytes) and its bytes; a value is a length (4 bytes) and its bytes.
#ifndef LOCKSTEP_LIB_LAUNCH_STORE_MESSAGES_H_
#define LOCKSTEP_LIB_LAUNCH_STORE_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace lockstep {

inline constexpr size_t kMaxStoreKeyBytes = 1024;
inline constexpr size_t kMaxStoreKeys = 1024;                    // keys per request
inline constexpr size_t kMaxStoreValueBytes = size_t{64} << 20;  // one rank's part of a training state is 4 MiB at most
inline constexpr absl::Duration kMaxStoreTimeout = absl::Hours(24 * 365);

// Size of the largest message. The two values of a compare-and-set share the limit of one value.
inline constexpr size_t kMaxStoreMessageBytes = kMaxStoreValueBytes + (size_t{2} << 20);

enum class StoreOperation : uint8_t {
  kSet = 1,     // key, value
  kGet,         // key: waits until the key is set, and returns its value
  kAdd,         // key, amount: adds to the decimal number that the key holds (0: not set), and returns the sum
  kCompareSet,  // key, value, expected: sets the value if the key holds `expected`, or is unset and `expected` is empty
  kWait,        // keys: waits until all are set
  kHas,         // keys: returns the number 1 if all are set, else 0
  kDelete,      // key: deletes the key, and returns the number 1 if it was set, else 0
  kCountKeys,   // no key: returns the number of keys
};

struct StoreRequest {
  StoreOperation operation = StoreOperation::kCountKeys;
  std::vector<std::string> keys;  // exactly one, except for kWait and kHas (at least one), and kCountKeys (empty)
  std::string value;              // value of kSet and kCompareSet, else empty
  std::string expected;           // expected value of kCompareSet, else empty
  int64_t amount = 0;             // summand of kAdd, else 0
  absl::Duration timeout;         // limit of the waits of kGet and kWait in whole milliseconds, else 0
};

enum class StoreOutcome : uint8_t {
  kDone = 1,
  kTimedOut,  // the key in `value` was not set within the request's timeout
  kRefused,   // `value` is the reason: a limit of the store, or a value of kAdd that is not a number
};

struct StoreResponse {
  StoreOutcome outcome = StoreOutcome::kDone;
  int64_t number = 0;
  std::string value;
};

// Returns the bytes of a message. The message must keep the limits above.
std::string EncodeStoreRequest(const StoreRequest& request);
std::string EncodeStoreResponse(const StoreResponse& response);

// Parses a message. Returns DataLossError if `bytes` are not exactly one message, or the message exceeds the limits.
// Time and memory are proportional to the size of `bytes`.
absl::StatusOr<StoreRequest> ParseStoreRequest(absl::string_view bytes);
absl::StatusOr<StoreResponse> ParseStoreResponse(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_MESSAGES_H_
