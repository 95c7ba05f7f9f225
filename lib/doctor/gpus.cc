#include "lib/doctor/gpus.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/device/nvidia_driver.h"

namespace lockstep {
namespace {

// Smallest use of a GPU's memory by other processes that is reported: the context of another process takes 0.3 to
// 0.6 GB.
constexpr double kMaxOthersBytes = 200e6;

// Values of nvmlComputeMode_t.
constexpr uint32_t kExclusiveThread = 1;
constexpr uint32_t kProhibited = 2;
constexpr uint32_t kExclusiveProcess = 3;

// A GPU's problem and its remedy.
struct GpuProblem {
  std::string what;
  std::string remedy;
  bool broken = false;
};

// Returns NVML's index of a GPU that CUDA lists, or -1.
int NvmlIndex(const proto::MachineFacts& facts, const std::string& uuid) {
  for (int i = 0; i < facts.nvml().gpu_size(); ++i) {
    if (!uuid.empty() && facts.nvml().gpu(i).uuid() == uuid) {
      return i;
    }
  }
  return -1;
}

// Returns the reasons that make a GPU slower under load than possible.
std::vector<std::string> SlowReasonsOf(const proto::DeviceState& state) {
  std::vector<std::string> slow;
  for (const std::string& reason : state.throttle_reason()) {
    if (reason == "applications_clocks_setting" || IsSlowdown(reason)) {
      slow.push_back(reason);
    }
  }
  return slow;
}

std::vector<GpuProblem> ProblemsOf(const proto::NvmlGpu& gpu) {
  std::vector<GpuProblem> problems;
  if (gpu.uncorrected_ecc_errors() > 0) {
    problems.push_back({absl::StrFormat("%.0f uncorrected ECC errors", gpu.uncorrected_ecc_errors()),
                        "results may be wrong: reset the GPU or restart the machine; replace the GPU if they return"});
  }
  if (gpu.compute_mode() == kProhibited) {
    problems.push_back(
        {.what = "compute mode prohibited", .remedy = "nvidia-smi --compute-mode=0 (as root)", .broken = true});
  }
  if (gpu.compute_mode() == kExclusiveProcess || gpu.compute_mode() == kExclusiveThread) {
    problems.push_back(
        {"exclusive to one process", "nvidia-smi --compute-mode=0 (as root) lets several processes share it"});
  }
  if (const auto slow = SlowReasonsOf(gpu.state()); !slow.empty()) {
    problems.push_back({absl::StrCat("slowed down by ", absl::StrJoin(slow, ", ")),
                        "times will be long: check cooling and power; nvidia-smi -rac and -rgc reset the clocks"});
  }
  if (gpu.mig_on()) {
    problems.push_back(
        {"MIG is on", "times are those of a slice, without peer access; nvidia-smi -mig 0 turns MIG off"});
  }
  if (gpu.memory_used_bytes() > kMaxOthersBytes) {
    problems.push_back({absl::StrCat(ShowBytes(gpu.memory_used_bytes()), " in use"),
                        "other processes, listed by nvidia-smi, use this GPU and distort times"});
  }
  return problems;
}

// Returns "345 of 1980 MHz, ECC on, 34 C, 76 of 700 W".
std::string DescribeState(const proto::NvmlGpu& gpu) {
  std::vector<std::string> parts;
  if (gpu.state().sm_clock_mhz() > 0) {
    parts.push_back(absl::StrFormat("%.0f of %.0f MHz", gpu.state().sm_clock_mhz(), gpu.max_sm_clock_mhz()));
  }
  if (gpu.has_ecc_on()) {
    parts.push_back(gpu.ecc_on() ? "ECC on" : "ECC off");
  }
  if (gpu.has_mig_on() && !gpu.mig_on()) {
    parts.push_back("MIG off");
  }
  if (gpu.state().temperature_celsius() > 0) {
    parts.push_back(absl::StrFormat("%.0f C", gpu.state().temperature_celsius()));
  }
  if (gpu.state().power_limit_watts() > 0) {
    parts.push_back(absl::StrFormat("%.0f of %.0f W", gpu.state().power_watts(), gpu.state().power_limit_watts()));
  }
  return absl::StrJoin(parts, ", ");
}

void JudgeGpu(const proto::MachineFacts& facts, int index, const DoctorRequest& request, FindingList& findings) {
  const proto::CudaGpu& gpu = facts.cuda().gpu(index);
  const std::string area = absl::StrCat("gpu ", index);
  if (gpu.name().empty()) {
    AddFinding(findings, area, proto::DoctorFinding::BROKEN, "CUDA lists this GPU but cannot open it",
               "look at dmesg for NVRM and Xid; restart the machine", NeedsGpu(request));
    return;
  }
  std::string what =
      absl::StrCat(gpu.name(), ", capability ", gpu.compute_capability(), ", ", ShowBytes(gpu.memory_bytes()));
  const int nvml = NvmlIndex(facts, gpu.uuid());
  if (nvml < 0) {
    AddFinding(findings, area, proto::DoctorFinding::OK, absl::StrCat(what, "; clocks, ECC and throttling unknown"));
    return;
  }
  const std::string state = DescribeState(facts.nvml().gpu(nvml));
  absl::StrAppend(&what, state.empty() ? "" : ", ", state);
  std::string remedy;
  bool broken = false;
  for (const GpuProblem& problem : ProblemsOf(facts.nvml().gpu(nvml))) {
    absl::StrAppend(&what, "; ", problem.what);
    absl::StrAppend(&remedy, remedy.empty() ? "" : "; ", problem.remedy);
    broken = broken || problem.broken;
  }
  AddFinding(findings, area,
             broken           ? proto::DoctorFinding::BROKEN
             : remedy.empty() ? proto::DoctorFinding::OK
                              : proto::DoctorFinding::WARN,
             what, remedy, broken ? NeedsGpu(request) : UseKinds());
}

std::string Lanes(const proto::MachineFacts& facts, int first, int second) {
  for (const proto::NvLinks& links : facts.nvml().links()) {
    const int a = static_cast<int>(links.first()), b = static_cast<int>(links.second());
    if ((a == first && b == second) || (a == second && b == first)) {
      return links.lanes();
    }
  }
  return "";
}

}  // namespace

void JudgeGpus(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings) {
  for (int i = 0; i < facts.cuda().gpu_size(); ++i) {
    JudgeGpu(facts, i, request, findings);
  }
  if (facts.cuda().gpu_size() == 0 && facts.nvml().gpu_size() > 0) {
    AddFinding(findings, "gpus", proto::DoctorFinding::WARN,
               absl::StrCat("NVML lists ", facts.nvml().gpu_size(), " GPUs, CUDA none"),
               "see the driver's line; check CUDA_VISIBLE_DEVICES");
  }
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "nvml")) {
    AddFinding(findings, "nvml", proto::DoctorFinding::UNKNOWN, absl::StrCat("libnvidia-ml.so.1 ", DescribeEnd(*end)),
               "search dmesg for NVRM and Xid; restart the machine or the container");
  } else if (facts.cuda().gpu_size() > 0 && !facts.nvml().library().error().empty()) {
    AddFinding(findings, "nvml", proto::DoctorFinding::WARN, "no libnvidia-ml.so.1: clocks and throttling are unknown",
               "in a container set NVIDIA_DRIVER_CAPABILITIES=compute,utility");
  } else if (facts.nvml().init_code() != 0) {
    AddFinding(findings, "nvml", proto::DoctorFinding::WARN,
               absl::StrCat("nvmlInit_v2 returns ", facts.nvml().init_code(),
                            facts.nvml().init_code() == 18 ? ": the kernel module is from another driver" : ""),
               "restart the machine");
  }
}

void JudgeLinks(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings) {
  std::map<std::pair<bool, std::string>, std::vector<std::string>> pairs;  // (peer access, lanes) -> "0 and 1"
  for (const proto::PeerAccess& peer : facts.cuda().peer()) {
    const int first = static_cast<int>(peer.first()), second = static_cast<int>(peer.second());
    if (first < facts.cuda().gpu_size() && second < facts.cuda().gpu_size()) {
      const std::string lanes = Lanes(facts, NvmlIndex(facts, facts.cuda().gpu(first).uuid()),
                                      NvmlIndex(facts, facts.cuda().gpu(second).uuid()));
      pairs[{peer.both_ways(), lanes}].push_back(absl::StrCat(first, " and ", second));
    }
  }
  for (const auto& [link, which] : pairs) {
    const auto& [access, lanes] = link;
    const std::string who = pairs.size() == 1 && which.size() > 1 ? absl::StrCat("all ", which.size(), " pairs")
                                                                  : absl::StrCat("GPUs ", absl::StrJoin(which, ", "));
    AddFinding(
        findings, "links", access ? proto::DoctorFinding::OK : proto::DoctorFinding::WARN,
        absl::StrCat(who, ": ", lanes.empty() ? "no NVLink" : absl::StrCat("NVLink ", lanes),
                     access ? ", peer access" : ", no peer access"),
        access ? "" : "all-reduces go through the host's memory: check IOMMU and ACS settings, or choose other GPUs");
  }
}

}  // namespace lockstep
