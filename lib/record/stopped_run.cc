#include "lib/record/stopped_run.h"

#include "absl/strings/str_cat.h"
#include "lib/base/existing_file.h"
#include "lib/base/path.h"

namespace lockstep {
namespace {

// Returns, for example, "3 of 9 points are finished" or "no point of 9 is finished".
std::string CountText(const FinishedWork& work) {
  return work.finished == 0
             ? absl::StrCat("no ", work.unit, " of ", work.planned, " is finished")
             : absl::StrCat(work.finished, " of ", work.planned, " ", work.unit, work.planned == 1 ? "" : "s",
                            work.finished == 1 ? " is" : " are", " finished");
}

// Returns the text for a run that was stopped before it opened the journal. An earlier run may have left a journal.
std::string BeforeTheJournal(const std::string& part) {
  return HasBytes(part) ? absl::StrCat("; the same command, without --force, resumes from ", part)
                        : "; nothing was started yet, so the same command starts again";
}

}  // namespace

absl::Status WithWhatIsKept(const absl::Status& status, const std::string& output, const FinishedWork& work) {
  if (!absl::IsCancelled(status) || output == "-") {
    return status;
  }
  const std::string part = PartPath(output);
  if (work.planned == 0) {
    return absl::CancelledError(absl::StrCat(status.message(), BeforeTheJournal(part)));
  }
  const std::string done = absl::StrCat(status.message(), "; ", CountText(work));
  if (work.finished == 0 && work.under_way.empty()) {
    return absl::CancelledError(absl::StrCat(done, ", so the same command starts again"));
  }
  const std::string journal = work.finished == 0 ? "" : absl::StrCat(part, work.under_way.empty() ? "" : ", and ");
  return absl::CancelledError(absl::StrCat(done, ", and the same command, without --force, resumes from there (",
                                           journal, work.under_way, ")"));
}

}  // namespace lockstep
