#include "lib/checks/record_rules.h"

#include <utility>

#include "lib/warnings/warnings.h"

namespace lockstep {

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
      findings.push_back({std::move(warning.rule), "records", std::move(warning.text)});
    }
  }
  return findings;
}

}  // namespace lockstep
