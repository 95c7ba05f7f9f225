#include "lib/doctor/probes.h"

#include <sys/resource.h>

#include <csignal>

#include "absl/strings/str_cat.h"
#include "lib/base/subprocess.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/data_set.h"
#include "lib/doctor/disk.h"
#include "lib/doctor/driver.h"
#include "lib/doctor/gpus.h"
#include "lib/doctor/host.h"
#include "lib/doctor/libtorch.h"
#include "lib/doctor/mps.h"
#include "lib/doctor/nccl.h"
#include "lib/doctor/programs.h"

namespace lockstep {

const std::vector<Probe>& AllProbes() {
  static const auto* probes = new std::vector<Probe>({
      {kFoldersProbe, ProbeLibTorchFolders},
      {"host", ProbeHost},
      {"cuda", ProbeCuda},
      {"nvml", ProbeNvml},
      {"mps", ProbeMps},
      {"data", ProbeDataSet},
      {"disk", ProbeDisk},
      {"build_programs", ProbeBuildPrograms},
      {"gnuplot", ProbeGnuplot},
      {"pdflatex", ProbePdflatex},
      {.name = "libtorch", .ask = ProbeLibTorch, .with_libraries = true},
      {.name = "nccl", .ask = ProbeNccl, .with_libraries = true},
      {.name = "tool_start", .ask = ProbeToolStart, .with_libraries = true},
  });
  return *probes;
}

absl::Status RunProbe(const std::string& name, const DoctorRequest& request) {
  for (const Probe& probe : AllProbes()) {
    if (name == probe.name) {
      std::signal(SIGTERM, SIG_DFL);  // the doctor ends a hanging probe by this signal
      std::signal(SIGINT, SIG_DFL);
      std::signal(SIGHUP, SIG_DFL);
      const rlimit no_core = {0, 0};
      setrlimit(RLIMIT_CORE, &no_core);
      ProbeAnswer answer(kResultFd);
      probe.ask(request, answer);
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("--probe=", name, ": there is no such probe"));
}

}  // namespace lockstep
