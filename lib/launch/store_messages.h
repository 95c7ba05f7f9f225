// Messages of the ranks' store: one request from a client, one response from the server. This file defines their bytes and
// their limits; it knows nothing of sockets (store_client.h, store_server.h).
//
// Integers are big-endian. Every request has the same layout, and so has every response:
//
//   request   operation (1 byte), patience in ms (8), amount (8), number of keys (2), keys, value, expected value
//   response  outcome (1 byte), number (8), value
//
// A key is a length of 2 bytes and that many bytes; a value is a length of 4 bytes and that many bytes.
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
inline constexpr size_t kMaxStoreKeys = 1024;                    // keys of one request
inline constexpr size_t kMaxStoreValueBytes = size_t{64} << 20;  // one rank's part of a training state is 4 MiB at most
inline constexpr absl::Duration kMaxStorePatience = absl::Hours(24 * 365);

// Largest message. A compare-and-set holds two values, and half the limit must do for each.
inline constexpr size_t kMaxStoreMessageBytes = kMaxStoreValueBytes + (size_t{2} << 20);

enum class StoreOperation : uint8_t {
  kSet = 1,     // key, value
  kGet,         // key: waits until the key is set, and returns its value
  kAdd,         // key, amount: adds to the decimal number that the key holds (0: not set), and returns the sum
  kCompareSet,  // key, value, expected: sets the value if the key holds `expected`, or is not set and `expected` is empty
  kWait,        // keys: waits until all are set
  kHas,         // keys: whether all are set (number 1 or 0)
  kDelete,      // key: whether it was set (number 1 or 0)
  kCountKeys,  // no key: returns their number
};

struct StoreRequest {
  StoreOperation operation = StoreOperation::kCountKeys;
  std::vector<std::string> keys;  // exactly one, but for kWait and kHas (at least one), and kCountKeys (empty)
  std::string value;              // used by kSet and kCompareSet, else empty
  std::string expected;           // used by kCompareSet, else empty
  int64_t amount = 0;             // used by kAdd, else 0
  absl::Duration patience;        // used by kGet and kWait, else 0; whole milliseconds
};

enum class StoreOutcome : uint8_t {
  kDone = 1,
  kTimedOut,  // the key in `value` was not set within the request's patience
  kRefused,   // `value` says why: a limit of the store, or a value of kAdd that is not a number
};

struct StoreResponse {
  StoreOutcome outcome = StoreOutcome::kDone;
  int64_t number = 0;
  std::string value;
};

// The bytes of a message. The caller must keep to the limits above.
std::string EncodeStoreRequest(const StoreRequest& request);
std::string EncodeStoreResponse(const StoreResponse& response);

// Returns the message, or DataLossError if the bytes are not exactly one message, or a message beyond the limits. Work and
// memory are proportional to `bytes`.
absl::StatusOr<StoreRequest> ParseStoreRequest(absl::string_view bytes);
absl::StatusOr<StoreResponse> ParseStoreResponse(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_MESSAGES_H_
