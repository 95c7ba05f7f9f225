#include "lib/launch/meeting.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"

namespace lockstep {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(50);

std::string PortKey(const std::string& run) { return absl::StrCat("lockstep/", run, "/port"); }

absl::StatusOr<std::unique_ptr<Store>> TorchrunStore(const MeetingPoint& point, absl::Duration timeout) {
  StoreOptions options;
  options.host = point.host;
  options.port = point.port;
  options.timeout = timeout;
  return Store::Open(options);
}

// Asked again and again, since the store's own wait is deaf to signals.
absl::StatusOr<uint16_t> PublishedPort(Store& store, const std::string& run, absl::Time deadline) {
  while (true) {
    ASSIGN_OR_RETURN(const bool there, store.Has(PortKey(run)));
    if (there) {
      break;
    }
    RETURN_IF_ERROR(CheckNotStopped());
    if (absl::Now() > deadline) {
      return absl::UnavailableError(absl::StrCat("expected rank 0 to say in torchrun's store at ", store.host(), ":",
                                                 store.port(), " where it listens, found nothing there in time"));
    }
    absl::SleepFor(kPollInterval);
  }
  ASSIGN_OR_RETURN(const std::string text, store.Get(PortKey(run)));
  uint32_t port = 0;
  if (!absl::SimpleAtoi(text, &port) || port == 0 || port > UINT16_MAX) {
    return absl::UnavailableError(absl::StrCat("expected rank 0's port in torchrun's store, found '", text, "'"));
  }
  return static_cast<uint16_t>(port);
}

}  // namespace

absl::StatusOr<TcpSocket> OpenMeeting(const MeetingPoint& point, const std::string& run, absl::Duration timeout) {
  if (!point.in_torchrun_store) {
    return ListenOn(point.port);
  }
  ASSIGN_OR_RETURN(TcpSocket listener, ListenOn(0));
  ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, TorchrunStore(point, timeout));
  RETURN_IF_ERROR(store->Set(PortKey(run), absl::StrCat(LocalPort(listener))));
  return listener;
}

absl::StatusOr<TcpSocket> JoinMeeting(const MeetingPoint& point, const std::string& run, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  uint16_t port = point.port;
  if (point.in_torchrun_store) {
    ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, TorchrunStore(point, timeout));
    ASSIGN_OR_RETURN(port, PublishedPort(*store, run, deadline));
  }
  return ConnectTo(point.host, port, deadline);
}

}  // namespace lockstep
