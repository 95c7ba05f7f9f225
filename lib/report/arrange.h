// The sections of a report in reading order: summary, Tables 1 to 3, figures, answers, details, machine, records.
#ifndef LOCKSTEP_LIB_REPORT_ARRANGE_H_
#define LOCKSTEP_LIB_REPORT_ARRANGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

enum class PageStyle {
  kGiven,  // only what the records hold; a question without a record is left out
  kLab,    // every question and table of the lab; a blank one states what would fill it
};

// Parses "given" or "lab"; "" means "given". Returns InvalidArgumentError for any other word.
absl::StatusOr<PageStyle> ParsePageStyle(absl::string_view name);

struct ReportPages {
  std::vector<proto::Section> page;   // sections in the order above
  std::vector<proto::Section> audit;  // the published tables under audit, a page of their own; empty: no such page
};

// Returns all sections of the records (tables.h), each once. The summary has the warnings, and one section all plots
// except histograms. The first section of each page gets the glossary terms that the page uses. A card of the summary
// keeps only links whose target is on the page.
ReportPages ArrangePages(const LabRecords& lab, PageStyle style);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_ARRANGE_H_
