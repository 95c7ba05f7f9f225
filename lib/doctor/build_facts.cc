#include "lib/doctor/build_facts.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/path.h"
#include "lib/base/subprocess.h"

// The LOCKSTEP_ constants are defined in the BUILD file.
namespace lockstep {
namespace {

#ifdef __clang__
constexpr char kCompiler[] = "clang " __clang_version__;
#else
constexpr char kCompiler[] = "gcc " __VERSION__;
#endif

}  // namespace

const BuildFacts& ThisBuild() {
  static const auto* facts = new BuildFacts{
      kCompiler,          LOCKSTEP_TORCH_VERSION, absl::StrSplit(LOCKSTEP_TORCH_FOLDERS, ':', absl::SkipEmpty()),
      LOCKSTEP_CUDA_HOME, LOCKSTEP_CUDA_VERSION,  LOCKSTEP_TORCH_CUDA_VERSION,
      LOCKSTEP_TORCH_PIP, LOCKSTEP_TORCH_MINIMUM, LOCKSTEP_TORCH_MAXIMUM,
  };
  return *facts;
}

Distribution ThisDistribution() {
  return absl::EndsWith(FolderOf(SelfPath().value_or("")), "/libexec") ? Distribution::kPortable : Distribution::kBuilt;
}

}  // namespace lockstep
