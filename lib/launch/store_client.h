// Client of the ranks' store: one authenticated connection to its server (store_server.h), on which one request after the
// other is made.
#ifndef LOCKSTEP_LIB_LAUNCH_STORE_CLIENT_H_
#define LOCKSTEP_LIB_LAUNCH_STORE_CLIENT_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/monotonic_time.h"
#include "lib/launch/run_secret.h"
#include "lib/launch/sealed_frames.h"
#include "lib/launch/secure_socket.h"
#include "lib/launch/store_messages.h"

namespace lockstep {

// Thread-safe: calls from several threads are made one after the other, so that a call can wait for another thread's call.
class StoreClient {
 public:
  // Connects and proves the secret, trying again until `deadline` while nobody listens. Errors are ConnectSecurely's.
  static absl::StatusOr<std::unique_ptr<StoreClient>> Connect(const std::string& host, uint16_t port,
                                                              const RunSecret& secret, MonotonicTime deadline);

  // Makes a request and returns its response. The server ends a request that waits after its patience; if the server
  // itself is silent for kServerPatience longer, the call ends, too.
  //
  // Returns UnavailableError if the server is gone or silent or sends anything but a response, CancelledError if a stop
  // signal came while the call waited, and InternalError if the request is beyond the limits of store_messages.h.
  // After UnavailableError or CancelledError every further call fails in the same way.
  absl::StatusOr<StoreResponse> Call(const StoreRequest& request);

  // A launcher that is stopped for a while, by Ctrl-Z or a debugger, must not end its ranks.
  static constexpr absl::Duration kServerPatience = absl::Minutes(2);

 private:
  StoreClient(SecureSocket socket, std::string name);
  absl::StatusOr<StoreResponse> Exchange(const std::string& body, MonotonicTime deadline);
  absl::StatusOr<std::string> ReceiveBody(MonotonicTime deadline);

  const std::string name_;  // "the ranks' store at HOST:PORT", for errors
  std::mutex mutex_;        // over all below
  SecureSocket socket_;
  FrameSealer sealer_;
  FrameOpener opener_;
  absl::Status broken_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_CLIENT_H_
