#include "lib/launch/rendezvous.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"
#include "lib/launch/find_secret.h"
#include "lib/launch/listen_address.h"
#include "lib/launch/published_rendezvous.h"
#include "lib/launch/torchrun_store.h"

namespace lockstep {
namespace {

std::string RendezvousKey(const LaunchPlace& place) { return absl::StrCat("lockstep/", place.run, "/rendezvous"); }

}  // namespace

absl::StatusOr<OpenRendezvous> StartRendezvous(const LaunchPlace& place, const RendezvousEndpoint& endpoint,
                                               const std::optional<RunSecret>& secret, const std::string& interface,
                                               absl::Duration timeout) {
  ASSIGN_OR_RETURN(const RunSecret random, RunSecret::Random());
  if (place.size == 1) {
    return OpenRendezvous{TcpSocket(), secret.value_or(random)};
  }
  const std::string address = ListenAddress(place, endpoint, interface);
  ASSIGN_OR_RETURN(TcpSocket listener, ListenOn(address, endpoint.in_torchrun_store ? 0 : endpoint.port));
  if (endpoint.in_torchrun_store) {
    PublishedRendezvous published = {LocalPort(listener), std::nullopt};
    if (!secret.has_value()) {
      published.secret = random;
    }
    RETURN_IF_ERROR(PublishIn({endpoint.host, endpoint.port, timeout}, RendezvousKey(place), ToText(published)));
  }
  return OpenRendezvous{std::move(listener), secret.value_or(BindToRun(random, place))};
}

absl::StatusOr<JoinedRendezvous> JoinRendezvous(const LaunchPlace& place, const RendezvousEndpoint& endpoint,
                                                const std::optional<RunSecret>& secret, absl::Duration timeout) {
  const MonotonicTime deadline = MonotonicTime::Now() + timeout;
  PublishedRendezvous found = {endpoint.port, std::nullopt};
  if (endpoint.in_torchrun_store) {
    ASSIGN_OR_RETURN(const std::string text, ReadFrom({endpoint.host, endpoint.port, timeout}, RendezvousKey(place)));
    ASSIGN_OR_RETURN(found, ReadPublishedRendezvous(text));
  }
  if (!secret.has_value() && !found.secret.has_value()) {
    return absl::UnavailableError(
        absl::StrCat("expected rank 0's secret in torchrun's store, found none: rank 0 has it from ", kTokenVariable,
                     "; set that for all processes or for none"));
  }
  const RunSecret known = secret.has_value() ? *secret : BindToRun(*found.secret, place);
  ASSIGN_OR_RETURN(SecureSocket leader, ConnectSecurely(endpoint.host, found.port, known, deadline));
  return JoinedRendezvous{std::move(leader), known};
}

}  // namespace lockstep
