// torchrun's own store (c10d::TCPStore, https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.TCPStore),
// which listens at MASTER_PORT: one value is published there, and read.
//
// LibTorch's client waits for the server's answer without an end, deaf to signals, and a thread that waits there keeps its
// process from ending. So a child of this process talks to the store: this executable once more, which main must hand
// over to RunTorchrunStoreClient. The child is ended after the timeout, and at a stop signal.
#ifndef LOCKSTEP_LIB_LAUNCH_TORCHRUN_STORE_H_
#define LOCKSTEP_LIB_LAUNCH_TORCHRUN_STORE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace lockstep {

struct TorchrunStore {
  std::string host;
  uint16_t port = 0;
  absl::Duration timeout;  // limit of each of these calls
};

// Publishes `value` under `key`. Returns UnavailableError if the store did not take it within the timeout, CancelledError
// after a stop signal.
absl::Status PublishIn(const TorchrunStore& store, const std::string& key, const std::string& value);

// Waits for the value of `key`. Returns UnavailableError if it was not there within the timeout, CancelledError after a
// stop signal. The value is whatever somebody wrote there.
absl::StatusOr<std::string> ReadFrom(const TorchrunStore& store, const std::string& key);

// Returns true if this process is such a child. main must ask before it parses flags.
bool IsTorchrunStoreClient();

// For main of such a child: does what its parent wants, and returns the exit code.
int RunTorchrunStoreClient();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_TORCHRUN_STORE_H_
