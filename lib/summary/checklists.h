// The cards "Can the numbers be trusted?" and "What is missing?".
#ifndef LOCKSTEP_LIB_SUMMARY_CHECKLISTS_H_
#define LOCKSTEP_LIB_SUMMARY_CHECKLISTS_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"
#include "lib/summary/verdict_table.h"
#include "lib/warnings/severity.h"
#include "lib/warnings/warnings.h"

namespace lockstep {

// Facts of the verdict on trust. `warnings` must be sorted by severity.
struct TrustFacts {
  size_t points = 0;  // measured points and quantized networks
  std::vector<Warning> warnings;
  size_t timed_points = 0;  // points of sweeps and scaling runs, each with a time
  size_t noisy_points = 0;  // number of points that were measured on a noisy machine

  size_t CountOf(Severity severity) const;
};
CardVerdict JudgeTrust(const TrustFacts& facts);

// Place of the commands that answer a question: the items of MissingCard, or the question's card, if the page shows the
// cards of all questions.
enum class CommandPlace { kItems, kCards };

// Returns the card: sum checks, repeats, seeds and predictions of the records, then each kind of warning once.
proto::Checklist TrustCard(const LabRecords& lab, const std::vector<Warning>& warnings);

// Returns the card: questions without a decision, questions without an answer with the commands that answer them,
// predictions that were not measured, and the unmeasured link. `cards` are those of all questions.
proto::Checklist MissingCard(const LabRecords& lab, const std::vector<proto::SummaryCard>& cards, CommandPlace place);

// Returns the number of warnings and the worst one. The list must be sorted by severity and not empty.
proto::WarningChip MakeWarningChip(const std::vector<Warning>& warnings);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_CHECKLISTS_H_
