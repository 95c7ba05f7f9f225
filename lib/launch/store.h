// Key-value store in which the ranks of a point meet, for small bytes only. One process holds it (store_server.h), and every
// rank joins it over a connection that proves the point's secret in both directions.
//
// Every wait ends after the timeout. Keys of successive calls never repeat, so ranks that make the same calls in the same
// order always meet in the same one.
#ifndef LOCKSTEP_LIB_LAUNCH_STORE_H_
#define LOCKSTEP_LIB_LAUNCH_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "lib/launch/loopback.h"
#include "lib/launch/run_secret.h"

namespace lockstep {

class StoreClient;
class StoreServer;

struct StoreOptions {
  std::string host = kLoopback;      // numeric address or name of the host that holds the store
  uint16_t port = 0;                 // 0, only with `is_host`: any free port
  absl::optional<RunSecret> secret;  // same for all who meet here; may be unset with `is_host`: nobody else comes
  bool is_host = false;  // hold the store in this process, for this client alone: for tests and a single rank
  absl::Duration timeout = absl::Seconds(60);  // of every wait
};

// Thread-safe, but for AllGather and Barrier, which one thread of a rank must call.
//
// All calls return UnavailableError if the store is gone, a wait ended at its timeout or the store refused a value for its
// size, and CancelledError if a stop signal came while the call waited.
class Store {
 public:
  // Joins the store, waiting until its host is there. Returns UnavailableError if nobody there proves the secret within the
  // timeout, and the errors of StoreServer::Start with `is_host`.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const StoreOptions& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::string& host() const { return host_; }
  uint16_t port() const { return port_; }
  absl::Duration timeout() const { return timeout_; }

  absl::Status Set(absl::string_view key, absl::string_view value);
  absl::StatusOr<std::string> Get(absl::string_view key) { return Get(key, timeout_); }  // waits until it is set
  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout);
  absl::Status Wait(const std::vector<std::string>& keys, absl::Duration timeout);  // until all are set
  absl::StatusOr<bool> Has(const std::vector<std::string>& keys);                   // whether all are set

  // Adds to the decimal number that the key holds (0 if it is not set) and returns the sum.
  absl::StatusOr<int64_t> Add(absl::string_view key, int64_t amount);

  // Sets the key if it holds `expected`, or if it is not set and `expected` is empty. Returns what it holds then;
  // `expected` if it is not set.
  absl::StatusOr<std::string> CompareSet(absl::string_view key, absl::string_view expected, absl::string_view value);

  absl::StatusOr<bool> Delete(absl::string_view key);  // whether it was set
  absl::StatusOr<int64_t> CountKeys();

  // Returns the bytes of every rank, in rank order. All ranks must call it, each with its own bytes. UnavailableError names
  // the first rank that did not come within the timeout.
  absl::StatusOr<std::vector<std::string>> AllGather(int rank, int size, absl::string_view bytes);

  // Returns when all ranks have called it.
  absl::Status Barrier(int rank, int size);

 private:
  Store(std::unique_ptr<StoreServer> server, std::unique_ptr<StoreClient> client, const StoreOptions& options,
        uint16_t port);

  const std::unique_ptr<StoreServer> server_;  // null: another process holds the store
  const std::unique_ptr<StoreClient> client_;
  const std::string host_;
  const uint16_t port_;
  const absl::Duration timeout_;
  uint64_t round_ = 0;  // number of calls of AllGather so far
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_H_
