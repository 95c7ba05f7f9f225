#include "lib/record/provenance.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/init_main.h"
#include "lib/base/version.h"
#include "lib/record/build_info.h"
#include "lib/record/digest.h"
#include "lib/record/environment_fingerprint.h"
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
  // A tool that cannot read its own executable has no build identity, and therefore its output is never cached.
  build.set_build_id(Sha256HexOfFile("/proc/self/exe").value_or(""));
  return build;
}

// Returns the digest of a text with one line per fact, so that a diff of two texts explains why two keys differ.
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
  // Measured steps only: NCCL_P2P_DISABLE, OMP_NUM_THREADS, `taskset` and a container's limits change the results of
  // devices and no others.
  if (header.device_size() > 0) {
    absl::StrAppend(&facts, "cores ", header.host().cpu_list(), "\n");
    for (const std::string& limit : header.host().cgroup_limit()) {
      absl::StrAppend(&facts, "cgroup ", limit, "\n");
    }
    for (const auto& [name, value] : RecordedEnvironment()) {
      absl::StrAppend(&facts, ChangesResults(name) ? absl::StrCat("environment ", name, "=", value, "\n") : "");
    }
  }
  absl::StrAppend(&facts, "libraries ", header.libraries().libtorch(), " ", header.libraries().cuda(), " ",
                  header.libraries().cudnn(), " ", header.libraries().nccl(), "\n");
  return Sha256Hex(facts);
}

}  // namespace

proto::Header MakeHeader(const HeaderOptions& options) {
  const Schema& schema = *FindSchema(options.schema);
  proto::Header header;
  header.set_schema(std::string(schema.name));
  header.set_schema_version(schema.version);
  *header.mutable_build() = MakeBuild(schema);
  header.mutable_command_line()->Add(CommandLine().begin(), CommandLine().end());
  header.set_seed(options.seed);
  header.set_start_time(
      absl::FormatTime(absl::RFC3339_sec, options.start_time.value_or(absl::Now()), absl::UTCTimeZone()));
  *header.mutable_host() = DescribeHost();
  header.mutable_input()->Add(options.inputs.begin(), options.inputs.end());
  header.mutable_device()->Add(options.devices.begin(), options.devices.end());
  *header.mutable_libraries() = options.libraries;
  for (const auto& [name, value] : RecordedEnvironment()) {
    (*header.mutable_environment())[name] = value;
  }
  for (proto::LoadedFile& file : LoadedFiles()) {
    *header.add_loaded_file() = std::move(file);
  }
  header.set_environment_fingerprint(EnvironmentFingerprint());
  std::map<std::string, std::string> flags = options.result_flags;
  if (!options.points.empty()) {
    header.set_points_key(CacheKey(header, flags));
    header.mutable_point()->Add(options.points.begin(), options.points.end());
    flags.insert(options.point_flags.begin(), options.point_flags.end());
    flags["points"] = absl::StrJoin(options.points, ";");
  }
  header.set_cache_key(CacheKey(header, flags));
  return header;
}

}  // namespace lockstep
