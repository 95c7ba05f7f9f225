// Client of the ranks' store: one authenticated connection to its server (store_server.h), with one request at a time.
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

// Thread-safe. Calls of several threads are made one after the other, so that a call may wait for another thread's
// call.
class StoreClient {
 public:
  // Connects and proves the secret. Retries until `deadline` while nobody listens. Errors are those of ConnectSecurely.
  static absl::StatusOr<std::unique_ptr<StoreClient>> Connect(const std::string& host, uint16_t port,
                                                              const RunSecret& secret, MonotonicTime deadline);

  // Makes a request and returns its response. The server ends a waiting request after the request's timeout. If the
  // server itself stays silent for another kServerTimeout, the call ends, too.
  //
  // Returns UnavailableError if the server is gone or silent or does not send a valid response, CancelledError if a
  // stop signal came while the call waited, and InternalError if the request exceeds the limits of store_messages.h.
  // After UnavailableError or CancelledError every further call fails in the same way.
  absl::StatusOr<StoreResponse> Call(const StoreRequest& request);

  // Time that the server may be silent. It is long so that a launcher that is stopped for a while, by Ctrl-Z or a
  // debugger, does not end its ranks.
  static constexpr absl::Duration kServerTimeout = absl::Minutes(2);

 private:
  StoreClient(SecureSocket socket, std::string name);
  absl::StatusOr<StoreResponse> Exchange(const std::string& body, MonotonicTime deadline);
  absl::StatusOr<std::string> ReceiveBody(MonotonicTime deadline);

  const std::string name_;  // "the ranks' store at HOST:PORT", for errors
  std::mutex mutex_;        // guards all members below
  SecureSocket socket_;
  FrameSealer sealer_;
  FrameOpener opener_;
  absl::Status broken_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_CLIENT_H_
