// Server of the ranks' store: a thread of the launching process that holds keys and values for clients that have proven
// the point's secret (admission.h). The server reads and sends nothing else before that proof.
//
// All memory that a client can make the server use is bounded: connections, the size of a message, and the bytes of all
// values (store_messages.h, kMaxStoreBytes). A client must make one request at a time, or it is dropped.
#ifndef LOCKSTEP_LIB_LAUNCH_STORE_SERVER_H_
#define LOCKSTEP_LIB_LAUNCH_STORE_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/base/start_thread.h"
#include "lib/launch/loopback.h"
#include "lib/launch/run_secret.h"

namespace lockstep {

// Maximum bytes of all keys and values. A point stores kilobytes; a training state is stored in parts of 4 MiB per
// rank, which are replaced each epoch.
inline constexpr size_t kMaxStoreBytes = size_t{1} << 30;

struct StoreServerOptions {
  std::string address = kLoopback;  // numeric address of this host; empty: all addresses
  uint16_t port = 0;                // port of the listener; 0: any free port
  int clients = 1;                  // maximum number of proven clients at the same time
};

class StoreServer {
 public:
  // Starts the thread. Returns UnavailableError if the port is taken, or if no thread or descriptor is left.
  static absl::StatusOr<std::unique_ptr<StoreServer>> Start(const RunSecret& secret, const StoreServerOptions& options);

  // Stops the thread and closes all connections, without waiting for any client.
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  uint16_t port() const;

 private:
  class Loop;
  explicit StoreServer(std::unique_ptr<Loop> loop);

  const std::unique_ptr<Loop> loop_;
  ThreadGroup thread_;  // single thread, joined before the loop is destroyed
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_SERVER_H_
