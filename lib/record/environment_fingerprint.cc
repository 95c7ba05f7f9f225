#include "lib/record/environment_fingerprint.h"

#include <glob.h>
#include <link.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/kernel_file.h"
#include "lib/record/cgroup_limits.h"
#include "lib/record/cpu_model.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

// Returns the cores in the format of `taskset --cpu-list`: "0-3,8".
std::string CpuList(const cpu_set_t& set) {
  std::string list;
  for (int first = 0; first < CPU_SETSIZE; ++first) {
    if (!CPU_ISSET(first, &set)) {
      continue;
    }
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set)) {
      ++last;
    }
    absl::StrAppend(&list, list.empty() ? "" : ",", first, last == first ? "" : absl::StrCat("-", last));
    first = last;
  }
  return list;
}

bool Whitelisted(absl::string_view name) {
  for (const std::string& pattern : EnvironmentWhitelist()) {
    if (pattern.back() == '*' ? absl::StartsWith(name, pattern.substr(0, pattern.size() - 1)) : name == pattern) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> FilesLike(const char* pattern) {
  glob_t found;
  std::vector<std::string> paths;
  if (glob(pattern, 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

// Returns the driver's files, which contain model and UUID of each GPU, and the names of the device nodes, which show
// the GPUs that this process may use.
std::string ListedGpus() {
  std::string facts;
  for (const std::string& path : FilesLike("/proc/driver/nvidia/gpus/*/information")) {
    absl::StrAppend(&facts, path, "\n", KernelFileText(path), "\n");
  }
  for (const std::string& path : FilesLike("/dev/nvidia[0-9]*")) {
    absl::StrAppend(&facts, path, "\n");
  }
  return facts;
}

}  // namespace

proto::Host DescribeHost() {
  proto::Host host;
  host.set_cpu_model(CpuModel(KernelFileText("/proc/cpuinfo")));
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    host.set_cpu_cores(static_cast<uint32_t>(CPU_COUNT(&set)));
    host.set_cpu_list(CpuList(set));
  }
  for (std::string& limit : CgroupLimits()) {
    host.add_cgroup_limit(std::move(limit));
  }
  host.set_memory_bytes(static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE)));
  utsname names;
  if (uname(&names) == 0) {
    host.set_kernel(absl::StrCat(names.sysname, " ", names.release, " ", names.machine));
    host.set_name_sha256(Sha256Hex(names.nodename));
  }
  return host;
}

const std::vector<std::string>& EnvironmentWhitelist() {
  static const auto* whitelist = new std::vector<std::string>(
      {"NCCL_*", "GLOO_*", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_MPS_*", "SLURM_JOB_ID",
       "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "NVIDIA_TF32_OVERRIDE", "CUDA_LAUNCH_BLOCKING", "PYTORCH_ALLOC_CONF",
       "LOCKSTEP_HOST_OF_RANK", "LOCKSTEP_RANKS_PER_GPU", "PYTORCH_CUDA_ALLOC_CONF", "CUBLAS_WORKSPACE_CONFIG",
       "ATEN_CPU_CAPABILITY", "LD_PRELOAD",
       // Threads and instructions of LibTorch's CPU libraries: OpenMP (the standard's variables, LLVM's and GCC's),
       // oneDNN (both of its prefixes) and MKL.
       "OMP_*", "KMP_*", "GOMP_*", "DNNL_*", "ONEDNN_*", "MKL_*"});
  return *whitelist;
}

std::map<std::string, std::string> RecordedEnvironment() {
  std::map<std::string, std::string> recorded;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    if (Whitelisted(pair.first)) {
      recorded.insert(pair);
    }
  }
  return recorded;
}

bool ChangesResults(absl::string_view name) { return name != "SLURM_JOB_ID"; }

std::string EnvironmentFingerprint() {
  std::string facts = absl::StrCat(DescribeHost().ShortDebugString(), "\n", ListedGpus());
  for (const auto& [name, value] : RecordedEnvironment()) {
    absl::StrAppend(&facts, ChangesResults(name) ? absl::StrCat(name, "=", value, "\n") : "");
  }
  const char* search_path = std::getenv("LD_LIBRARY_PATH");
  absl::StrAppend(&facts, "LD_LIBRARY_PATH=", search_path == nullptr ? "" : search_path, "\n");
  return Sha256Hex(facts);
}

proto::LoadedFile DescribeFile(const std::string& path) {
  proto::LoadedFile file;
  file.set_path(path);
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    file.set_size_bytes(static_cast<uint64_t>(info.st_size));
    file.set_modified_ns(int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec);
  }
  return file;
}

std::vector<proto::LoadedFile> LoadedFiles() {
  std::vector<proto::LoadedFile> files;
  const auto add = [](dl_phdr_info* info, size_t, void* data) {
    // The program itself has no name, and the kernel's page (vdso) has no folder.
    if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') {
      static_cast<std::vector<proto::LoadedFile>*>(data)->push_back(DescribeFile(info->dlpi_name));
    }
    return 0;
  };
  dl_iterate_phdr(add, &files);
  return files;
}

}  // namespace lockstep
