#include "lib/checks/record_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/warnings/warnings.h"

namespace lockstep {

namespace {

// Returns the warning, followed by the commands that repair it.
std::string TextWithCommands(const Warning& warning) {
  std::vector<std::string> commands = warning.commands;
  commands.erase(std::remove(commands.begin(), commands.end(), ""), commands.end());
  return absl::StrCat(warning.text, commands.empty() ? "" : absl::StrCat(" Repair: ", absl::StrJoin(commands, " && ")));
}

}  // namespace

std::vector<CheckFinding> CheckRecords(const LabRecords& lab) {
  std::vector<CheckFinding> findings;
  for (const LabSweep& sweep : lab.sweeps) {
    CheckSweep(sweep, findings);
  }
  for (const LabScale& scale : lab.scales) {
    CheckScale(scale, findings);
  }
  for (const LabCommModel& file : lab.comm_models) {
    CheckCommModel(file, findings);
  }
  if (!lab.Sources().empty()) {
    for (Warning& warning : NamedWarnings(lab)) {
      findings.push_back({std::move(warning.rule), "records", TextWithCommands(warning)});
    }
  }
  return findings;
}

}  // namespace lockstep
