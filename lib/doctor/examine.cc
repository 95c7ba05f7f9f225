#include "lib/doctor/examine.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/version.h"
#include "lib/doctor/data_set.h"
#include "lib/doctor/disk.h"
#include "lib/doctor/driver.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/gpus.h"
#include "lib/doctor/host.h"
#include "lib/doctor/libtorch.h"
#include "lib/doctor/mps.h"
#include "lib/doctor/nccl.h"
#include "lib/doctor/programs.h"

namespace lockstep {
namespace {

bool StandsInTheWay(const proto::DoctorFinding& finding, proto::DoctorUse::Kind use) {
  const bool works = finding.state() == proto::DoctorFinding::OK || finding.state() == proto::DoctorFinding::WARN;
  return !works &&
         std::find(finding.needed_for().begin(), finding.needed_for().end(), use) != finding.needed_for().end();
}

// Returns true if training would use a GPU that works.
bool TakesGpu(const proto::MachineFacts& facts, const DoctorRequest& request, const FindingList& findings) {
  for (const proto::DoctorFinding& finding : findings) {
    if (finding.area() == "cuda" && finding.state() != proto::DoctorFinding::OK) {
      return false;
    }
  }
  return request.device != "cpu" && facts.libtorch().has_cuda() && facts.cuda().gpu_size() > 0;
}

}  // namespace

proto::Examination Examine(const proto::MachineFacts& facts, const DoctorRequest& request, const BuildFacts& build,
                           Distribution distribution) {
  proto::Examination examination;
  examination.set_version(kVersion);
  *examination.mutable_facts() = facts;
  FindingList& findings = *examination.mutable_finding();
  JudgeBuildPrograms(facts, build, distribution, findings);
  JudgeLibTorch(facts, request, build, findings);
  JudgeDriver(facts, request, findings);
  JudgeGpus(facts, request, findings);
  JudgeLinks(facts, request, findings);
  JudgeNccl(facts, request, findings);
  JudgeMps(facts, request, findings);
  JudgeHost(facts, request, findings);
  JudgeDataSet(facts, findings);
  JudgeDisk(facts, findings);
  JudgeGnuplot(facts, findings);
  JudgePdflatex(facts, findings);
  for (const proto::DoctorUse::Kind kind :
       {proto::DoctorUse::TRAIN, proto::DoctorUse::SCALE, proto::DoctorUse::REPORT}) {
    proto::DoctorUse& use = *examination.add_use();
    use.set_kind(kind);
    use.set_asked_for(std::find(request.uses.begin(), request.uses.end(), kind) != request.uses.end());
    for (const proto::DoctorFinding& finding : findings) {
      if (StandsInTheWay(finding, kind)) {
        use.add_because(finding.area());
      }
    }
    use.set_works(use.because().empty());
    if (use.works() && kind != proto::DoctorUse::REPORT) {
      use.set_device(TakesGpu(facts, request, findings) ? "cuda" : "cpu");
    }
  }
  return examination;
}

absl::Status CheckAskedFor(const proto::Examination& examination) {
  std::vector<std::string> failing;
  for (const proto::DoctorUse& use : examination.use()) {
    if (use.asked_for() && !use.works()) {
      failing.push_back(absl::StrCat(absl::AsciiStrToLower(proto::DoctorUse::Kind_Name(use.kind())), " (",
                                     absl::StrJoin(use.because(), ", "), ")"));
    }
  }
  return failing.empty() ? absl::OkStatus()
                         : absl::AbortedError(absl::StrCat("will not work here: ", absl::StrJoin(failing, ", "),
                                                           "; the lines above have the remedies"));
}

}  // namespace lockstep
