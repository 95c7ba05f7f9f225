// Client of torchrun's own store (c10d::TCPStore,
// https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.TCPStore), which listens at MASTER_PORT. One
// value is published and read there.
//
// LibTorch's client waits for the server without a limit and ignores signals, and a thread that waits there keeps its
// process from ending. Therefore a child of this process uses the store. The child runs this executable, whose main
// must call RunTorchrunStoreClient. The child is ended after the timeout and at a stop signal.
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
  absl::Duration timeout;  // limit of each call below
};

// Publishes `value` under `key`. Returns UnavailableError if the store did not accept it within the timeout, and
// CancelledError after a stop signal.
absl::Status PublishIn(const TorchrunStore& store, const std::string& key, const std::string& value);

// Waits for the value of `key` and returns it. The value is not authenticated. Returns UnavailableError if it was not
// set within the timeout, and CancelledError after a stop signal.
absl::StatusOr<std::string> ReadFrom(const TorchrunStore& store, const std::string& key);

// Returns true if this process is such a child. Must be called in main before flags are parsed.
bool IsTorchrunStoreClient();

// Runs such a child: makes the parent's request, and ends the process with the exit code.
int RunTorchrunStoreClient();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_TORCHRUN_STORE_H_
