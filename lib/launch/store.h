// Key-value store of the ranks of a point, for small values only. One process holds the store (store_server.h). Every
// rank joins it over a connection that proves the point's secret in both directions.
//
// Every wait ends after the timeout. Successive calls of AllGather and Barrier use different keys. All ranks must make
// the same calls in the same order, so that each call uses the same keys in all ranks.
#ifndef LOCKSTEP_LIB_LAUNCH_STORE_H_
#define LOCKSTEP_LIB_LAUNCH_STORE_H_

#include <cstdint>
#include <map>
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
  uint16_t port = 0;                 // port of the store; 0, only with `is_host`: any free port
  absl::optional<RunSecret> secret;  // secret of all clients; may be unset with `is_host`, which has no other client
  bool is_host = false;  // true: this process holds the store for this client only; for tests and a single rank
  absl::Duration timeout = absl::Seconds(60);  // limit of every wait
};

// Thread-safe, except AllGather, AllGatherIn and Barrier, which must not be called by two threads at the same time.
//
// All calls return UnavailableError if the store is gone, a wait reached its timeout or the store refused a value
// because of its size, and CancelledError if a stop signal came while the call waited.
class Store {
 public:
  // Joins the store; waits until its host listens. Returns UnavailableError if no listener proves the secret within the
  // timeout. With `is_host`, also returns the errors of StoreServer::Start.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const StoreOptions& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::string& host() const { return host_; }
  uint16_t port() const { return port_; }
  absl::Duration timeout() const { return timeout_; }

  absl::Status Set(absl::string_view key, absl::string_view value);
  absl::StatusOr<std::string> Get(absl::string_view key) { return Get(key, timeout_); }  // waits until the key is set
  absl::StatusOr<std::string> Get(absl::string_view key, absl::Duration timeout);
  absl::Status Wait(const std::vector<std::string>& keys, absl::Duration timeout);  // waits until all keys are set
  absl::StatusOr<bool> Has(const std::vector<std::string>& keys);                   // returns true if all keys are set

  // Adds `amount` to the decimal number that the key holds (0 if it is not set) and returns the sum.
  absl::StatusOr<int64_t> Add(absl::string_view key, int64_t amount);

  // Sets the key if it holds `expected`, or if it is not set and `expected` is empty. Returns the value that the key
  // holds afterwards, or `expected` if it is not set.
  absl::StatusOr<std::string> CompareSet(absl::string_view key, absl::string_view expected, absl::string_view value);

  absl::StatusOr<bool> Delete(absl::string_view key);  // returns true if the key was set
  absl::StatusOr<int64_t> CountKeys();

  // Returns the bytes of every rank, in rank order. All ranks must call this function, each with its own bytes. Returns
  // UnavailableError, with the first missing rank, if a rank did not call it within the timeout.
  absl::StatusOr<std::vector<std::string>> AllGather(int rank, int size, absl::string_view bytes);

  // Does the same among some of the ranks, which must all call it. `group` must name them, and must not be empty.
  // `index` is the place of this rank among the `size` ranks of the group. The error names the missing index.
  absl::StatusOr<std::vector<std::string>> AllGatherIn(absl::string_view group, int index, int size,
                                                       absl::string_view bytes);

  // Waits until all ranks have called this function.
  absl::Status Barrier(int rank, int size);

 private:
  Store(std::unique_ptr<StoreServer> server, std::unique_ptr<StoreClient> client, const StoreOptions& options,
        uint16_t port);

  const std::unique_ptr<StoreServer> server_;  // store of this process; null: another process holds the store
  const std::unique_ptr<StoreClient> client_;
  const std::string host_;
  const uint16_t port_;
  const absl::Duration timeout_;
  std::map<std::string, uint64_t> rounds_;  // number of calls of AllGatherIn so far by group; "": AllGather
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_H_
