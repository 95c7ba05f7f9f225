#include "lib/dist/process_hello.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <unistd.h>

#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/base/subprocess.h"
#include "lib/device/torch_status.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

// Without a context on any of them.
uint32_t CountGpus() {
  uint32_t count = 0;
  CatchTorchErrors("counting GPUs", [&] {
    count = c10::impl::hasDeviceGuardImpl(c10::DeviceType::CUDA)
                ? static_cast<uint32_t>(c10::impl::VirtualGuardImpl(c10::DeviceType::CUDA).deviceCount())
                : 0;
    return absl::OkStatus();
  }).IgnoreError();  // none that could be used
  return count;
}

}  // namespace

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return ToUtf8(name);
}

absl::StatusOr<proto::AgentHello> DescribeProcess(const LaunchPlace& place, bool ask_for_gpus) {
  proto::AgentHello hello;
  hello.set_run(place.run);
  hello.set_rank(static_cast<uint32_t>(place.rank));
  hello.set_size(static_cast<uint32_t>(place.size));
  hello.set_local_rank(static_cast<uint32_t>(place.local_rank));
  hello.set_host_name(HostName());
  hello.set_gpus(ask_for_gpus ? CountGpus() : 0);
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  ASSIGN_OR_RETURN(const std::string sha256, Sha256HexOfFile(self));
  hello.set_build_id(sha256);
  return hello;
}

}  // namespace lockstep
