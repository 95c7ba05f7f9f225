// The ranks' store (lib/launch/store.h) as LibTorch's, so that its process groups can meet in it.
#ifndef LOCKSTEP_LIB_DIST_C10D_STORE_H_
#define LOCKSTEP_LIB_DIST_C10D_STORE_H_

#include <c10/util/intrusive_ptr.h>

#include "lib/launch/store.h"

namespace c10d {
class Store;
}

namespace lockstep {

// Returns a view of `store`, which must outlive it and all its clones. Thread-safe. What fails throws c10::DistStoreError,
// which CatchPeerErrors (lib/launch/peer_status.h) turns into UnavailableError.
c10::intrusive_ptr<c10d::Store> MakeC10dStore(Store& store);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_C10D_STORE_H_
