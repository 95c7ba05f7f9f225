// Adapter from the ranks' store (lib/launch/store.h) to LibTorch's, for the rendezvous of its process groups.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_C10D_STORE_H_
#define LOCKSTEP_LIB_COMMUNICATOR_C10D_STORE_H_

#include <c10/util/intrusive_ptr.h>

#include "lib/launch/store.h"

namespace c10d {
class Store;
}

namespace lockstep {

// Returns a view of `store`, which must outlive the view and all its clones. Thread-safe. A failed call throws
// c10::DistStoreError, which CatchPeerErrors (lib/launch/peer_status.h) turns into UnavailableError.
c10::intrusive_ptr<c10d::Store> MakeC10dStore(Store& store);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_C10D_STORE_H_
