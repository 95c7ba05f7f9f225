#include "lib/launch/process_description.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "lib/base/own_flags.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/base/subprocess.h"
#include "lib/dataset/content_digest.h"
#include "lib/dataset/dataset.h"
#include "lib/device/device.h"
#include "lib/device/torch_status.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/record/digest.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

// Returns the number of GPUs without creating a CUDA context.
uint32_t CountGpus() {
  uint32_t count = 0;
  CatchTorchErrors("counting GPUs", [&] {
    count = CountRankGpus();
    return absl::OkStatus();
  }).IgnoreError();  // an error means that no GPU is usable
  return count;
}

// Flags that may differ between processes: file names (the data set is compared by its content), and the flags of the
// rendezvous.
constexpr const char* kOwnOfEach[] = {"input",       "output",      "prediction", "launcher",
                                      "master_addr", "master_port", "interface",  "quiet"};

void AddSetting(const std::string& name, const std::string& value, proto::ProcessDescription& description) {
  proto::AgentSetting& setting = *description.add_setting();
  setting.set_name(name);
  setting.set_value(value);
}

}  // namespace

std::string HostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  return ReadableLine(name);
}

// Gloo has no entry because it is part of LibTorch.
void AddLibraries(c10::Device device, proto::ProcessDescription& description) {
  const proto::Libraries libraries = LoadedLibraries(device);
  AddSetting("LibTorch", libraries.libtorch(), description);
  AddSetting("CUDA", libraries.cuda(), description);
  AddSetting("cuDNN", libraries.cudnn(), description);
  AddSetting("NCCL", libraries.nccl(), description);
}

absl::StatusOr<proto::ProcessDescription> DescribeProcess(const LaunchPlace& place, bool ask_for_gpus) {
  proto::ProcessDescription description;
  description.set_rank(static_cast<uint32_t>(place.rank));
  description.set_size(static_cast<uint32_t>(place.size));
  description.set_local_rank(static_cast<uint32_t>(place.local_rank));
  description.set_host_name(HostName());
  description.set_gpus(ask_for_gpus ? CountGpus() : 0);
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  ASSIGN_OR_RETURN(const std::string sha256, Sha256HexOfFile(self));
  description.set_build_id(sha256);
  AddLibraries(c10::Device(description.gpus() > 0 ? c10::kCUDA : c10::kCPU), description);
  for (const auto& [name, flag] : OwnFlags()) {
    if (std::find(std::begin(kOwnOfEach), std::end(kOwnOfEach), name) == std::end(kOwnOfEach)) {
      AddSetting(absl::StrCat("--", name), flag->CurrentValue(), description);
    }
  }
  const char* const host_of_rank = std::getenv(kHostOfRankVariable);  // each rank reads it from its own environment
  AddSetting(kHostOfRankVariable, ReadableLine(host_of_rank != nullptr ? host_of_rank : ""), description);
  return description;
}

absl::StatusOr<std::string> DescribeDataset(const std::string& path) {
  RETURN_IF_ERROR(DeclareRunFiles({{path}, {}}));
  const absl::StatusOr<Dataset> dataset = ReadDataset(path);
  if (absl::IsCancelled(dataset.status())) {
    return dataset.status();
  }
  return dataset.ok() ? ContentSha256(*dataset) : absl::StrCat("none: ", dataset.status().message());
}

}  // namespace lockstep
