#include "lib/doctor/nccl.h"

#include "absl/strings/str_cat.h"
#include "lib/device/driver_call.h"
#include "lib/doctor/open_library.h"

namespace lockstep {

void ProbeNccl(const DoctorRequest& request, ProbeAnswer& answer) {
  answer.Begin("dlopen of libnccl.so.2");
  proto::MachineFacts facts;
  void* library = OpenLibrary("libnccl.so.2", *facts.mutable_nccl());
  int code = 0;
  if (Call<int(int*)>(library, "ncclGetVersion", &code)) {
    facts.mutable_nccl()->set_version(NcclVersion(code));
  }
  answer.Send(facts);
}

void JudgeNccl(const proto::MachineFacts& facts, const DoctorRequest& request, FindingList& findings) {
  const bool several = facts.cuda().gpu_size() > 1 && request.device != "cpu";
  const UseKinds needed = several ? UseKinds{proto::DoctorUse::SCALE} : UseKinds{};
  const std::string idle = several ? "" : "; needed with several GPUs only";
  const proto::LibraryFacts& nccl = facts.nccl();
  if (const proto::ProbeEnd* end = FindBadEnd(facts, "nccl")) {
    AddFinding(findings, "nccl", proto::DoctorFinding::BROKEN, DescribeEnd(*end),
               "install LibTorch again, with its NCCL", needed);
  } else if (!nccl.path().empty()) {
    AddFinding(findings, "nccl", proto::DoctorFinding::OK, absl::StrCat(nccl.version(), ", loads; ", nccl.path()));
  } else if (nccl.error().find("libnccl.so.2: cannot open shared object file") != std::string::npos) {
    AddFinding(findings, "nccl", proto::DoctorFinding::ABSENT, absl::StrCat("no libnccl.so.2", idle),
               several ? "install LibTorch with CUDA (its wheel has NCCL), or NCCL" : "", needed);
  } else {
    AddFinding(findings, "nccl", proto::DoctorFinding::BROKEN, absl::StrCat("does not load: ", nccl.error(), idle),
               LoaderRemedy(nccl.error(), "NCCL"), needed);
  }
}

std::string NcclVersion(int code) {
  return code < 10000 ? absl::StrCat(code / 1000, ".", code % 1000 / 100, ".", code % 100)
                      : absl::StrCat(code / 10000, ".", code % 10000 / 100, ".", code % 100);
}

}  // namespace lockstep
