#include <arpa/inet.h>
#include <fcntl.h>
#include <glob.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/kernel_file.h"
#include "lib/base/owned_descriptor.h"
#include "lib/doctor/host.h"
#include "lib/record/environment_fingerprint.h"

namespace lockstep {
namespace {

constexpr char kSharedMemory[] = "/dev/shm";

uint32_t CountFiles(const char* pattern) {
  glob_t found;
  const bool ok = glob(pattern, 0, nullptr, &found) == 0;
  const size_t count = ok ? found.gl_pathc : 0;
  globfree(&found);
  return static_cast<uint32_t>(count);
}

// Counts devices with NVIDIA's PCI vendor number and class 0x03....: display and 3D controllers.
uint32_t CountNvidiaGpus() {
  glob_t found;
  uint32_t count = 0;
  if (glob("/sys/bus/pci/devices/*", 0, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) {
      const std::string device = found.gl_pathv[i];
      count +=
          KernelFileLine(device + "/vendor") == "0x10de" && KernelFileLine(device + "/class").rfind("0x03", 0) == 0;
    }
  }
  globfree(&found);
  return count;
}

void ReadSharedMemory(proto::HostFacts& host) {
  struct statvfs info;
  if (statvfs(kSharedMemory, &info) == 0) {
    host.set_shared_memory_bytes(static_cast<double>(info.f_frsize) * static_cast<double>(info.f_blocks));
    host.set_shared_memory_free_bytes(static_cast<double>(info.f_frsize) * static_cast<double>(info.f_bavail));
  }
  const OwnedDescriptor unnamed(open(kSharedMemory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  host.set_shared_memory_writable(unnamed.get() >= 0);
  double shmmax = 0;
  if (absl::SimpleAtod(KernelFileLine("/proc/sys/kernel/shmmax"), &shmmax)) {
    host.set_kernel_shmmax_bytes(shmmax);
  }
  rlimit locked;
  if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != RLIM_INFINITY) {
    host.set_locked_memory_bytes(static_cast<double>(locked.rlim_cur));
  }
}

// Listens on a port that the kernel chooses, and connects to it. Returns an empty text if that works.
std::string LoopbackError() {
  const OwnedDescriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const OwnedDescriptor caller(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  const char* failed = bind(listener.get(), raw, size) != 0           ? "bind"
                       : listen(listener.get(), 1) != 0               ? "listen"
                       : getsockname(listener.get(), raw, &size) != 0 ? "getsockname"
                       : connect(caller.get(), raw, size) != 0        ? "connect"
                                                                      : nullptr;
  return failed == nullptr ? "" : absl::StrCat(failed, ": ", std::strerror(errno));
}

}  // namespace

void ProbeHost(const DoctorRequest& request, ProbeAnswer& answer) {
  answer.Begin("reading /proc and /sys");
  proto::MachineFacts facts;
  proto::HostFacts& host = *facts.mutable_host();
  host.set_nvidia_gpus_on_pci(CountNvidiaGpus());
  host.set_nvidia_device_files(CountFiles("/dev/nvidia[0-9]*"));
  host.set_kernel_module(KernelFileLine("/proc/driver/nvidia/version"));
  host.set_infiniband_devices(CountFiles("/sys/class/infiniband/*"));
  const proto::Host described = DescribeHost();
  host.set_memory_bytes(static_cast<double>(described.memory_bytes()));
  host.set_memory_allowed_bytes(MemoryLimitBytes({described.cgroup_limit().begin(), described.cgroup_limit().end()}));
  ReadSharedMemory(host);
  answer.Send(facts);
  answer.Begin("a connection to 127.0.0.1");
  facts.Clear();
  facts.mutable_host()->set_loopback_error(LoopbackError());
  answer.Send(facts);
}

}  // namespace lockstep
