#include "lib/launch/meeting.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"
#include "lib/launch/find_secret.h"
#include "lib/launch/listen_address.h"
#include "lib/launch/published_meeting.h"
#include "lib/launch/torchrun_store.h"

namespace lockstep {
namespace {

std::string MeetingKey(const LaunchPlace& place) { return absl::StrCat("lockstep/", place.run, "/meeting"); }

}  // namespace

absl::StatusOr<OpenMeeting> StartMeeting(const LaunchPlace& place, const MeetingPoint& point,
                                         const std::optional<RunSecret>& secret, const std::string& interface,
                                         absl::Duration timeout) {
  ASSIGN_OR_RETURN(const RunSecret random, RunSecret::Random());
  if (place.size == 1) {
    return OpenMeeting{TcpSocket(), secret.value_or(random)};
  }
  const std::string address = ListenAddress(place, point, interface);
  ASSIGN_OR_RETURN(TcpSocket listener, ListenOn(address, point.in_torchrun_store ? 0 : point.port));
  if (point.in_torchrun_store) {
    PublishedMeeting published = {LocalPort(listener), std::nullopt};
    if (!secret.has_value()) {
      published.secret = random;
    }
    RETURN_IF_ERROR(PublishIn({point.host, point.port, timeout}, MeetingKey(place), ToText(published)));
  }
  return OpenMeeting{std::move(listener), secret.value_or(BindToRun(random, place))};
}

absl::StatusOr<JoinedMeeting> JoinMeeting(const LaunchPlace& place, const MeetingPoint& point,
                                          const std::optional<RunSecret>& secret, absl::Duration timeout) {
  const MonotonicTime deadline = MonotonicTime::Now() + timeout;
  PublishedMeeting found = {point.port, std::nullopt};
  if (point.in_torchrun_store) {
    ASSIGN_OR_RETURN(const std::string text, ReadFrom({point.host, point.port, timeout}, MeetingKey(place)));
    ASSIGN_OR_RETURN(found, ReadPublishedMeeting(text));
  }
  if (!secret.has_value() && !found.secret.has_value()) {
    return absl::UnavailableError(
        absl::StrCat("expected rank 0's secret in torchrun's store, found none: rank 0 has it from ", kTokenVariable,
                     "; set that for all processes or for none"));
  }
  const RunSecret known = secret.has_value() ? *secret : BindToRun(*found.secret, place);
  ASSIGN_OR_RETURN(SecureSocket leader, ConnectSecurely(point.host, found.port, known, deadline));
  return JoinedMeeting{std::move(leader), known};
}

}  // namespace lockstep
