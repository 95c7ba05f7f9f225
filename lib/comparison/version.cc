#include "lib/comparison/version.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/record/environment_fingerprint.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

std::string EnvironmentText(const proto::Header& header) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : header.environment()) {
    if (ChangesResults(name) && name != "CUDA_VISIBLE_DEVICES") {  // the devices are compared by themselves
      variables[name] = value;
    }
  }
  return variables.empty() ? "no environment variables"
                           : absl::StrCat("environment ", absl::StrJoin(variables, " ", absl::PairFormatter("=")));
}

}  // namespace

std::vector<VersionPart> VersionOf(const proto::Header& header) {
  const proto::Build& build = header.build();
  const proto::Libraries& libraries = header.libraries();
  const std::string driver = header.device_size() > 0 ? header.device(0).driver_version() : "";
  return {{"build", absl::StrCat("build ", ShortDigest(build.build_id()), " (", DescribeBuild(build), ")")},
          {"LibTorch", absl::StrCat("LibTorch ", libraries.libtorch())},
          {"CUDA", absl::StrCat("CUDA ", libraries.cuda())},
          {"cuDNN", absl::StrCat("cuDNN ", libraries.cudnn())},
          {"NCCL", absl::StrCat("NCCL ", libraries.nccl())},
          {"driver", absl::StrCat("driver ", driver)},
          {"environment", EnvironmentText(header)}};
}

}  // namespace lockstep
