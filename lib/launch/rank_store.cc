#include "lib/launch/rank_store.h"

#include <functional>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/launch/find_secret.h"
#include "lib/launch/listen_address.h"
#include "lib/launch/peer_status.h"
#include "lib/launch/published_rendezvous.h"
#include "lib/launch/rendezvous_endpoint.h"
#include "lib/launch/run_secret.h"

namespace lockstep {
namespace {

// Key in torchrun's store; another one than that of rendezvous.cc.
std::string PublishedKey(const LaunchPlace& place) { return absl::StrCat("lockstep/", place.run, "/rank_store"); }

absl::Status UseTorchrunStore(const RendezvousEndpoint& endpoint, absl::Duration timeout,
                              const std::function<void(c10d::TCPStore&)>& use) {
  return CatchPeerErrors(absl::StrCat("torchrun's store at ", endpoint.host, ":", endpoint.port), [&] {
    c10d::TCPStoreOptions options;
    options.port = endpoint.port;
    options.waitWorkers = false;
    options.timeout = absl::ToChronoMilliseconds(timeout);
    c10d::TCPStore store(endpoint.host, options);
    use(store);
  });
}

// Returns the published text; waits until rank 0 has published it.
absl::StatusOr<PublishedRendezvous> ReadPublished(const LaunchPlace& place, const RendezvousEndpoint& endpoint,
                                                  absl::Duration timeout) {
  std::string text;
  RETURN_IF_ERROR(UseTorchrunStore(endpoint, timeout, [&](c10d::TCPStore& store) {
    const std::vector<uint8_t> bytes = store.get(PublishedKey(place));
    text.assign(bytes.begin(), bytes.end());
  }));
  return ReadPublishedRendezvous(text);
}

// Starts the store's server on rank 0. Returns the options with which rank 0 joins it.
absl::StatusOr<StoreOptions> StartServer(const LaunchPlace& place, const RendezvousEndpoint& endpoint,
                                         const std::optional<RunSecret>& secret, absl::Duration timeout,
                                         std::unique_ptr<StoreServer>& server) {
  ASSIGN_OR_RETURN(const RunSecret random, RunSecret::Random());
  StoreOptions options;
  options.secret = secret.has_value() ? *secret : BindToRun(random, place);
  StoreServerOptions server_options;
  server_options.address = ListenAddress(place, endpoint, /*interface=*/"");
  server_options.port = endpoint.in_torchrun_store ? 0 : endpoint.port;
  server_options.clients = place.size;
  ASSIGN_OR_RETURN(server, StoreServer::Start(*options.secret, server_options));
  options.port = server->port();
  if (endpoint.in_torchrun_store) {
    PublishedRendezvous published = {options.port, std::nullopt};
    if (!secret.has_value()) {
      published.secret = random;
    }
    const std::string text = ToText(published);
    RETURN_IF_ERROR(UseTorchrunStore(endpoint, timeout, [&](c10d::TCPStore& store) {
      store.set(PublishedKey(place), std::vector<uint8_t>(text.begin(), text.end()));
    }));
  }
  return options;
}

// Returns the options with which another rank joins the store.
absl::StatusOr<StoreOptions> FindServer(const LaunchPlace& place, const RendezvousEndpoint& endpoint,
                                        const std::optional<RunSecret>& secret, absl::Duration timeout) {
  PublishedRendezvous found = {endpoint.port, std::nullopt};
  if (endpoint.in_torchrun_store) {
    ASSIGN_OR_RETURN(found, ReadPublished(place, endpoint, timeout));
  }
  if (!secret.has_value() && !found.secret.has_value()) {
    return absl::UnavailableError(
        absl::StrCat("expected rank 0's secret in torchrun's store, found none: rank 0 has it from ", kTokenVariable,
                     "; set that for all processes or for none"));
  }
  StoreOptions options;
  options.secret = secret.has_value() ? *secret : BindToRun(*found.secret, place);
  options.port = found.port;
  return options;
}

}  // namespace

absl::StatusOr<RankStore> OpenRankStore(const LaunchPlace& place, const EnvironmentLookup& lookup,
                                        absl::Duration timeout) {
  RankStore opened;
  StoreOptions options;
  if (place.size == 1) {
    options.is_host = true;
  } else {
    ASSIGN_OR_RETURN(const RendezvousEndpoint endpoint, FindRendezvousEndpoint(place, RendezvousFlags(), lookup));
    ASSIGN_OR_RETURN(const std::optional<RunSecret> secret, FindSecret(place, endpoint, lookup));
    ASSIGN_OR_RETURN(options, place.rank == 0 ? StartServer(place, endpoint, secret, timeout, opened.server)
                                              : FindServer(place, endpoint, secret, timeout));
    options.host = endpoint.host;
  }
  options.timeout = timeout;
  ASSIGN_OR_RETURN(opened.store, Store::Open(options));
  return opened;
}

}  // namespace lockstep
