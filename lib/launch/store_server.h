// Server of the ranks' store: a thread of the launching process that holds keys and values for the clients who prove that
// they know the point's secret (admission.h). It never reads or sends anything else before that proof.
//
// Everything that a client can make it hold is bounded: connections, the size of a message, and the bytes of all values
// (store_messages.h, kMaxStoreBytes). A client has one request at a time; a client that sends more is dropped.
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

// Bytes of all keys and values. A point holds kilobytes; a training state in steps of 4 MiB per rank, replaced each epoch.
inline constexpr size_t kMaxStoreBytes = size_t{1} << 30;

struct StoreServerOptions {
  std::string address = kLoopback;  // numeric, of this host; empty: all addresses
  uint16_t port = 0;                // 0: any free port
  int clients = 1;                  // largest number of clients that have proven themselves, at the same time
};

class StoreServer {
 public:
  // Starts the thread. Returns UnavailableError if the port is taken or this process may have no more threads or
  // descriptors.
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
  ThreadGroup thread_;  // one, joined before the loop is destroyed
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_SERVER_H_
