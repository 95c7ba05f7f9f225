#include "lib/launch/store_client.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(100);  // interval between two checks for a stop signal

// Checks that the server would accept the request. The client must check first, because the server drops a client that
// exceeds the limits.
absl::Status CheckLimits(const StoreRequest& request) {
  const bool long_key = std::any_of(request.keys.begin(), request.keys.end(),
                                    [](const std::string& key) { return key.size() > kMaxStoreKeyBytes; });
  if (long_key || request.keys.size() > kMaxStoreKeys) {
    return absl::InternalError(absl::StrCat("expected at most ", kMaxStoreKeys, " keys of at most ", kMaxStoreKeyBytes,
                                            " bytes for the ranks' store, found more"));
  }
  const size_t bytes = request.value.size() + request.expected.size();
  if (bytes > kMaxStoreValueBytes) {
    return absl::InternalError(absl::StrCat("expected a value of at most ", kMaxStoreValueBytes,
                                            " bytes for the ranks' store, found ", bytes));
  }
  return absl::OkStatus();
}

}  // namespace

StoreClient::StoreClient(SecureSocket socket, std::string name)
    : name_(std::move(name)), socket_(std::move(socket)), sealer_(socket_.keys.send),
      opener_(socket_.keys.receive, kMaxStoreMessageBytes) {}

absl::StatusOr<std::unique_ptr<StoreClient>> StoreClient::Connect(const std::string& host, uint16_t port,
                                                                  const RunSecret& secret, MonotonicTime deadline) {
  ASSIGN_OR_RETURN(SecureSocket socket, ConnectSecurely(host, port, secret, deadline));
  return std::unique_ptr<StoreClient>(
      new StoreClient(std::move(socket), absl::StrCat("the ranks' store at ", host, ":", port)));
}

absl::StatusOr<StoreResponse> StoreClient::Call(const StoreRequest& request) {
  RETURN_IF_ERROR(CheckLimits(request));
  const std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(broken_);
  absl::StatusOr<StoreResponse> response =
      Exchange(EncodeStoreRequest(request), MonotonicTime::Now() + request.timeout + kServerTimeout);
  broken_ = response.status();  // after an error, the next bytes on the connection may belong to this request
  return response;
}

absl::StatusOr<StoreResponse> StoreClient::Exchange(const std::string& body, MonotonicTime deadline) {
  if (const absl::Status sent = SendAll(socket_.socket, sealer_.Seal(body), deadline); !sent.ok()) {
    return absl::UnavailableError(absl::StrCat(name_, " is gone: ", sent.message()));
  }
  ASSIGN_OR_RETURN(const std::string answer, ReceiveBody(deadline));
  absl::StatusOr<StoreResponse> response = ParseStoreResponse(answer);
  return response.ok() ? std::move(response) : absl::UnavailableError(response.status().message());
}

// Waits for the response. A stop signal ends the wait, but not a call whose response comes at once.
absl::StatusOr<std::string> StoreClient::ReceiveBody(MonotonicTime deadline) {
  char buffer[65536];
  std::string body;
  while (true) {
    absl::StatusOr<bool> whole = opener_.Next(body);
    if (!whole.ok()) {
      return absl::UnavailableError(absl::StrCat(name_, ": ", whole.status().message()));
    }
    if (*whole) {
      return body;
    }
    const ssize_t received = recv(socket_.socket.fd(), buffer, sizeof(buffer), 0);
    if (received > 0) {
      opener_.Append(absl::string_view(buffer, static_cast<size_t>(received)));
    } else if (received < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (WaitReadable(socket_.socket, kPollInterval)) {
        continue;
      }
      RETURN_IF_ERROR(CheckNotStopped());
      if (MonotonicTime::Now() > deadline) {
        return absl::UnavailableError(
            absl::StrCat(name_, " does not answer; the process that holds it may be stopped"));
      }
    } else {
      return absl::UnavailableError(
          absl::StrCat(name_, " is gone: ", received == 0 ? "it closed the connection" : std::strerror(errno)));
    }
  }
}

}  // namespace lockstep
