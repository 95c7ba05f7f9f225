// Choice of the backend of a run. Does not depend on LibTorch and CUDA.
#ifndef LOCKSTEP_LIB_SCALE_RUN_BACKEND_CHOICE_H_
#define LOCKSTEP_LIB_SCALE_RUN_BACKEND_CHOICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/base/host_topology.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

struct BackendChoice {
  proto::Backend backend = proto::BACKEND_UNSPECIFIED;
  std::string why;  // ScaleSpec.backend_reason
};

// Returns `asked`, or the fastest backend if it is BACKEND_UNSPECIFIED. `hosts` must be the hosts of all ranks of the
// run. InvalidArgument: the ranks cannot use the backend.
absl::StatusOr<BackendChoice> ChooseBackend(proto::Backend asked, proto::DeviceKind device, const HostTopology& hosts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_BACKEND_CHOICE_H_
