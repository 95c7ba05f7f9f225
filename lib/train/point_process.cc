#include "lib/train/point_process.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/subprocess.h"

namespace lockstep {
namespace {

proto::SweepFile Lost(uint32_t batch_size, proto::Outcome outcome, const std::string& detail) {
  proto::SweepFile file;
  proto::SweepPoint& point = *file.add_record()->mutable_point();
  point.set_batch_size(batch_size);
  point.set_outcome(outcome);
  point.set_detail(detail);
  return file;
}

}  // namespace

absl::StatusOr<proto::SweepFile> RunPointProcess(const std::vector<std::string>& argv, uint64_t memory_limit_bytes,
                                                 uint32_t batch_size) {
  ChildOptions child;
  child.argv = argv;
  child.data_limit_bytes = memory_limit_bytes;
  ASSIGN_OR_RETURN(const std::vector<ChildExit> exits, RunChildren({child}, absl::InfiniteDuration()));
  RETURN_IF_ERROR(CheckNotStopped());
  const ChildExit& exit = exits[0];
  if (exit.signalled) {
    return Lost(batch_size, proto::KILLED,
                absl::StrCat("its process was ended by signal ", exit.code, " (", strsignal(exit.code), ")"));
  }
  proto::SweepFile file;
  if (exit.code == 0 && file.ParseFromString(exit.result) && file.record_size() > 0 && file.record(0).has_point()) {
    return file;
  }
  const std::string hint =
      memory_limit_bytes == 0
          ? ""
          : absl::StrCat("; a memory limit of ", memory_limit_bytes, " bytes may be too little to load LibTorch");
  file = Lost(batch_size, proto::FAILED,
              absl::StrCat("its process exited with status ", exit.code, " and no result", hint));
  file.mutable_record(0)->mutable_point()->set_exit_status(exit.code);
  return file;
}

}  // namespace lockstep
