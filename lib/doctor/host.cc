#include "lib/doctor/host.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lockstep {
namespace {

// Memory of a process of LibTorch with CUDA and the data set: 3 to 4 GB.
constexpr double kEnoughMemoryBytes = 4e9;
// Size that NCCL's manual recommends for a container (--shm-size=1g, Troubleshooting, "Docker"); the default is 64 MiB.
constexpr double kEnoughSharedMemoryBytes = 1 << 30;
// Values from here on count as no limit: Linux' own default is 2^64 - 2^24.
constexpr double kNoLimitBytes = 1e18;

void JudgeMemory(const proto::HostFacts& host, FindingList& findings) {
  const double allowed = host.memory_allowed_bytes() > 0 ? std::min(host.memory_allowed_bytes(), host.memory_bytes())
                                                         : host.memory_bytes();
  const std::string what =
      allowed < host.memory_bytes()
          ? absl::StrCat(ShowBytes(allowed), " allowed by the control group, of ", ShowBytes(host.memory_bytes()))
          : ShowBytes(host.memory_bytes());
  const bool enough = allowed >= kEnoughMemoryBytes;
  AddFinding(findings, "memory", enough ? proto::DoctorFinding::OK : proto::DoctorFinding::WARN, what,
             enough ? "" : "each process that trains takes up to 4 GB: give the container more, or train fewer ranks");
}

// NCCL puts memory shared by processes of one host there. Lockstep's ranks share memory without a name, outside this
// limit.
void JudgeSharedMemory(const proto::HostFacts& host, bool several_gpus, FindingList& findings) {
  const UseKinds needed = several_gpus ? UseKinds{proto::DoctorUse::SCALE} : UseKinds{};
  if (!host.has_shared_memory_bytes() || !host.shared_memory_writable()) {
    AddFinding(findings, "/dev/shm",
               host.has_shared_memory_bytes() ? proto::DoctorFinding::BROKEN : proto::DoctorFinding::ABSENT,
               host.has_shared_memory_bytes() ? "not writable" : "missing",
               "mount a tmpfs that every user may write to; NCCL needs it between GPUs", needed);
    return;
  }
  const double free = host.shared_memory_free_bytes();
  const bool enough = free >= kEnoughSharedMemoryBytes;
  AddFinding(findings, "/dev/shm", enough ? proto::DoctorFinding::OK : proto::DoctorFinding::WARN,
             absl::StrCat(ShowBytes(free), " free of ", ShowBytes(host.shared_memory_bytes())),
             enough ? "" : "NCCL may need more on several GPUs: start the container with --shm-size=1g");
}

void JudgeLimits(const proto::HostFacts& host, FindingList& findings) {
  const double shmmax = host.kernel_shmmax_bytes();
  const bool enough = shmmax >= kEnoughSharedMemoryBytes;
  AddFinding(findings, "shmmax", enough ? proto::DoctorFinding::OK : proto::DoctorFinding::WARN,
             shmmax >= kNoLimitBytes ? "no limit" : ShowBytes(shmmax),
             enough ? "" : "sysctl -w kernel.shmmax=1073741824; Open MPI may need it");
  if (!host.has_locked_memory_bytes()) {
    AddFinding(findings, "memlock", proto::DoctorFinding::OK, "no limit");
    return;
  }
  const bool infiniband = host.infiniband_devices() > 0;
  AddFinding(findings, "memlock", infiniband ? proto::DoctorFinding::WARN : proto::DoctorFinding::OK,
             absl::StrCat(ShowBytes(host.locked_memory_bytes()),
                          infiniband ? ", but InfiniBand needs more" : "; only InfiniBand needs more"),
             infiniband ? "ulimit -l unlimited; in a container --ulimit memlock=-1" : "");
}

}  // namespace

void JudgeHost(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings) {
  const proto::HostFacts& host = facts.host();
  const proto::ProbeEnd* end = FindBadEnd(facts, "host");
  if (end != nullptr && host.memory_bytes() == 0) {
    AddFinding(findings, "host", proto::DoctorFinding::UNKNOWN, DescribeEnd(*end), "check dmesg",
               {proto::DoctorUse::SCALE});
    return;
  }
  JudgeMemory(host, findings);
  JudgeSharedMemory(host, facts.cuda().gpu_size() > 1 && request.device != "cpu", findings);
  JudgeLimits(host, findings);
  const std::string loopback = end != nullptr ? DescribeEnd(*end) : host.loopback_error();
  AddFinding(findings, "loopback", loopback.empty() ? proto::DoctorFinding::OK : proto::DoctorFinding::BROKEN,
             loopback.empty() ? "a connection to 127.0.0.1 works" : absl::StrCat("127.0.0.1: ", loopback),
             loopback.empty() ? "" : "ip link set lo up; check the firewall and the container's network",
             loopback.empty() ? UseKinds{} : UseKinds{proto::DoctorUse::SCALE});
}

double MemoryLimitBytes(const std::vector<std::string>& cgroup_limits) {
  double min_bytes = 0;
  for (const absl::string_view limit : cgroup_limits) {
    const std::vector<absl::string_view> parts = absl::StrSplit(limit, '=');
    double bytes = 0;
    if (absl::StartsWith(limit, "memory.") && parts.size() == 2 && absl::SimpleAtod(parts[1], &bytes) &&
        (min_bytes == 0 || bytes < min_bytes)) {
      min_bytes = bytes;
    }
  }
  return min_bytes;
}

}  // namespace lockstep
