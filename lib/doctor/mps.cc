#include "lib/doctor/mps.h"

#include <glob.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/kernel_file.h"

namespace lockstep {
namespace {

constexpr char kDefaultDirectory[] = "/tmp/nvidia-mps";
constexpr char kDaemon[] = "nvidia-cuda-mps-control";

// Returns true if a /proc/PID/cmdline begins with the daemon's path, which ends with a zero byte.
bool DaemonRuns() {
  glob_t found;
  bool runs = false;
  if (glob("/proc/[0-9]*/cmdline", GLOB_NOSORT, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc && !runs; ++i) {
      runs = absl::EndsWith(KernelFileText(found.gl_pathv[i]).c_str(), kDaemon);
    }
  }
  globfree(&found);
  return runs;
}

}  // namespace

void ProbeMps(const DoctorRequest& request, ProbeAnswer& answer) {
  answer.Begin("looking for MPS");
  proto::MachineFacts facts;
  proto::MpsFacts& mps = *facts.mutable_mps();
  const char* directory = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  const char* percentage = std::getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
  mps.set_directory_named(directory != nullptr);
  mps.set_pipe_directory(directory == nullptr ? kDefaultDirectory : directory);
  mps.set_active_thread_percentage(percentage == nullptr ? "" : percentage);
  struct stat info;
  mps.set_control_pipe(stat((mps.pipe_directory() + "/control").c_str(), &info) == 0);
  mps.set_daemon_runs(DaemonRuns());
  answer.Send(facts);
}

void JudgeMps(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings) {
  const proto::MpsFacts& mps = facts.mps();
  const std::string share = mps.active_thread_percentage().empty()
                                ? ""
                                : absl::StrCat("; each process has ", mps.active_thread_percentage(), " % of a GPU");
  if (mps.control_pipe() && mps.daemon_runs()) {
    AddFinding(findings, "mps", share.empty() ? proto::DoctorFinding::OK : proto::DoctorFinding::WARN,
               absl::StrCat("on, at ", mps.pipe_directory(), share),
               share.empty() ? "" : "unset CUDA_MPS_ACTIVE_THREAD_PERCENTAGE for times of a whole GPU");
  } else if (mps.control_pipe()) {
    AddFinding(findings, "mps", proto::DoctorFinding::WARN,
               absl::StrCat("pipe at ", mps.pipe_directory(), ", but no ", kDaemon, " found"),
               "fine if the daemon runs outside this container; else remove the folder, or start the daemon again");
  } else if (mps.daemon_runs()) {
    AddFinding(findings, "mps", proto::DoctorFinding::WARN,
               absl::StrCat(kDaemon, " runs, but not at ", mps.pipe_directory(), ": programs do not use it"),
               "set CUDA_MPS_PIPE_DIRECTORY to the daemon's folder, or end the daemon");
  } else if (mps.directory_named()) {
    AddFinding(
        findings, "mps", proto::DoctorFinding::WARN,
        absl::StrCat("CUDA_MPS_PIPE_DIRECTORY=", mps.pipe_directory(), " has no daemon: programs do not use MPS"),
        absl::StrCat("start ", kDaemon, " -d, or unset the variable"));
  } else if (facts.cuda().gpu_size() > 0) {
    AddFinding(findings, "mps", proto::DoctorFinding::OK, "off");
  }
}

}  // namespace lockstep
