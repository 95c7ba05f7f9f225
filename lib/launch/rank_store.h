// Store of ranks that are themselves the processes that a launcher started, like the ranks of torch.distributed. (The
// ranks of launch.h are children of those processes.)
//
// Rank 0 hosts the store. If torchrun's own store exists, rank 0 listens at a free port and publishes port and secret
// in torchrun's store; otherwise it listens at the rendezvous's port (rendezvous_endpoint.h). The secret is that of
// find_secret.h.
//
// The calling process uses LibTorch's client of torchrun's store directly, which ignores stop signals while it waits.
// A tool must use rendezvous.h instead.
#ifndef LOCKSTEP_LIB_LAUNCH_RANK_STORE_H_
#define LOCKSTEP_LIB_LAUNCH_RANK_STORE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/launch/environment_reader.h"
#include "lib/launch/launch_place.h"
#include "lib/launch/store.h"
#include "lib/launch/store_server.h"

namespace lockstep {

struct RankStore {
  std::unique_ptr<StoreServer> server;  // null, except on rank 0 of several ranks; must outlive `store`
  std::unique_ptr<Store> store;
};

// Opens the store. Must be called once by each rank of `place`; `timeout` is the limit of this call's waits and of the
// store's. Errors are those of FindRendezvousEndpoint, FindSecret, StoreServer::Start and Store::Open. Also returns
// UnavailableError if torchrun's store does not respond within the timeout.
absl::StatusOr<RankStore> OpenRankStore(const LaunchPlace& place, const EnvironmentLookup& lookup,
                                        absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_RANK_STORE_H_
