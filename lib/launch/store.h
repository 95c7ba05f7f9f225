// The ranks' meeting place: a key-value store over TCP (c10d::TCPStore), for small bytes only.
//
// One process hosts it, all others join; every wait in it ends at the timeout. Keys of successive calls never repeat, so
// ranks that make the same calls in the same order always meet in the same one.
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

namespace c10d {
class Store;
}

namespace lockstep {

struct StoreOptions {
  std::string host = "127.0.0.1";  // of the process that hosts it
  uint16_t port = 0;               // 0, for the host only: any free one
  bool is_host = false;
  absl::Duration timeout = absl::Seconds(60);  // of every wait
};

// Not thread-safe: one thread of each rank uses it.
class Store {
 public:
  // Hosts, or joins (waiting for the host to come up). Unavailable when the port is taken or nobody answers.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const StoreOptions& options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::string& host() const { return host_; }
  uint16_t port() const { return port_; }

  absl::Status Set(absl::string_view key, absl::string_view value);
  absl::StatusOr<std::string> Get(absl::string_view key);  // waits until it is set
  absl::StatusOr<bool> Has(absl::string_view key);         // does not wait

  // The bytes of every rank, in rank order. All ranks call it, each with its own. Unavailable names the first rank
  // that did not come within the timeout.
  absl::StatusOr<std::vector<std::string>> AllGather(int rank, int size, absl::string_view bytes);

  // Returns when all ranks are here.
  absl::Status Barrier(int rank, int size);

  // LibTorch's own view of it, for its process groups; lives as long as this object.
  c10d::Store* raw();

 private:
  struct State;
  Store(std::unique_ptr<State> state, std::string host, uint16_t port);

  std::unique_ptr<State> state_;
  const std::string host_;
  const uint16_t port_;
  uint64_t round_ = 0;  // of AllGather
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_H_
