#include "lib/doctor/doctor.h"

#include "lib/base/log_line.h"
#include "lib/base/print_text.h"
#include "lib/base/status_macros.h"
#include "lib/base/stopwatch.h"
#include "lib/base/subprocess.h"
#include "lib/doctor/ask_machine.h"
#include "lib/doctor/build_facts.h"
#include "lib/doctor/examine.h"
#include "lib/doctor/print_examination.h"
#include "lib/doctor/probes.h"

namespace lockstep {

absl::Status RunDoctor(const DoctorOptions& options) {
  const Stopwatch watch;
  ASSIGN_OR_RETURN(const std::string self, SelfPath());
  std::vector<std::string> command = {self};
  command.insert(command.end(), options.flags.begin(), options.flags.end());
  ASSIGN_OR_RETURN(const proto::MachineFacts facts, AskMachine(command, AllProbes(), options.request.timeout));
  proto::Examination examination = Examine(facts, options.request, ThisBuild(), ThisDistribution());
  examination.set_seconds(watch.Seconds());
  const std::string text = options.json ? ExaminationJson(examination)
                           : IsQuiet()  ? ExaminationText(OnlyTroubles(examination))
                                        : ExaminationText(examination);
  RETURN_IF_ERROR(PrintToStdout(text));
  return CheckAskedFor(examination);
}

}  // namespace lockstep
