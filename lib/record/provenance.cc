#include "lib/record/provenance.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/init_main.h"
#include "lib/base/version.h"
#include "lib/record/build_info.h"
#include "lib/record/digest.h"
#include "lib/record/schema.h"

namespace lockstep {
namespace {

proto::Build MakeBuild(const Schema& schema) {
  proto::Build build;
  build.set_tool(std::string(schema.tool));
  build.set_version(kVersion);
  build.set_git_commit(GitCommit());
  build.set_git_dirty(GitDirty());
#ifndef __OPTIMIZE__
  build.set_compilation_mode("unoptimised");
#else
  build.set_compilation_mode("opt");
#endif
  // A tool that cannot read its own executable has no build identity, and so never finds its output cached.
  build.set_build_id(Sha256HexOfFile("/proc/self/exe").value_or(""));
  return build;
}

std::string CpuModel() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (absl::StartsWith(line, "model name")) {
      return std::string(absl::StripAsciiWhitespace(line.substr(line.find(':') + 1)));
    }
  }
  return "unknown";
}

bool Whitelisted(absl::string_view name) {
  for (const std::string& pattern : EnvironmentWhitelist()) {
    if (pattern.back() == '*' ? absl::StartsWith(name, pattern.substr(0, pattern.size() - 1)) : name == pattern) {
      return true;
    }
  }
  return false;
}

// One line per fact, so that two keys that differ can be explained by a diff of what went in.
std::string CacheKey(const proto::Header& header, const std::map<std::string, std::string>& flags) {
  std::string facts = absl::StrCat(header.build().tool(), "\n", header.schema(), " ", header.schema_version(), "\n",
                                   header.build().build_id(), "\n");
  for (const auto& [name, value] : flags) {
    absl::StrAppend(&facts, "--", name, "=", value, "\n");
  }
  for (const proto::Input& input : header.input()) {
    absl::StrAppend(&facts, "input ", input.sha256(), "\n");
  }
  for (const proto::Device& device : header.device()) {
    absl::StrAppend(&facts, "device ", device.name(), " ", device.uuid_sha256(), " ", device.driver_version(), "\n");
  }
  absl::StrAppend(&facts, "libraries ", header.libraries().libtorch(), " ", header.libraries().cuda(), " ",
                  header.libraries().cudnn(), " ", header.libraries().nccl(), "\n");
  return Sha256Hex(facts);
}

}  // namespace

proto::Host DescribeHost() {
  proto::Host host;
  host.set_cpu_model(CpuModel());
  cpu_set_t set;
  host.set_cpu_cores(sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<uint32_t>(CPU_COUNT(&set)) : 0);
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
      {"NCCL_*", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "SLURM_JOB_ID",
       "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "PYTORCH_CUDA_ALLOC_CONF", "CUBLAS_WORKSPACE_CONFIG"});
  return *whitelist;
}

proto::Header MakeHeader(const HeaderOptions& options) {
  const Schema& schema = *FindSchema(options.schema);
  proto::Header header;
  header.set_schema(std::string(schema.name));
  header.set_schema_version(schema.version);
  *header.mutable_build() = MakeBuild(schema);
  header.mutable_command_line()->Add(CommandLine().begin(), CommandLine().end());
  header.set_seed(options.seed);
  header.set_start_time(absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone()));
  *header.mutable_host() = DescribeHost();
  header.mutable_input()->Add(options.inputs.begin(), options.inputs.end());
  header.mutable_device()->Add(options.devices.begin(), options.devices.end());
  *header.mutable_libraries() = options.libraries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    if (Whitelisted(pair.first)) {
      (*header.mutable_environment())[pair.first] = pair.second;
    }
  }
  header.set_cache_key(CacheKey(header, options.result_flags));
  return header;
}

}  // namespace lockstep
