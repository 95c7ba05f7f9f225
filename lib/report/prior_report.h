// The report that is already at the place of a new one: which of its files the new report may replace or must remove.
#ifndef LOCKSTEP_LIB_REPORT_PRIOR_REPORT_H_
#define LOCKSTEP_LIB_REPORT_PRIOR_REPORT_H_

#include <string>
#include <vector>

#include "lib/proto/header.pb.h"
#include "lib/record/replace_rule.h"
#include "lib/report/report_format.h"

namespace lockstep {

// Files that the previous report wrote at the same place.
struct PriorReport {
  bool known = false;               // true: the record of the previous report can be read to its end
  std::vector<proto::Input> files;  // paths are the present ones, whatever folder the record names
};

// Reads the files of the previous report from its record at `record`, or from the journal that a stopped run left.
// `stem` is that of the new report (StemOfReport). Must be called under the record's lock, and before
// RecordWriter::Begin, which empties the journal.
PriorReport ReadPriorReport(const std::string& stem, const std::string& record);

// Returns the rule for the report's record. In addition to ReplaceOwnResult (lib/record/other_result.h), the rule
// allows replacing the record of any report that has an input in common with `planned`: the same name, except standard
// input, the same file by another name, or the same bytes. If there is no record, the complete journal of a run that
// was killed while it put its files in place counts instead. Hence a report made again with one more record, or in
// another style, replaces itself.
ReplaceRule ReplaceSameReport(const proto::Header& planned, const std::vector<std::string>& other_outputs);

// Returns the rule for the other files of a report whose record replaces that of `prior`: the files of the previous
// report may be replaced, and no other file. If the previous record is damaged, its files are unknown, and the rule
// allows everything at those places.
ReplaceRule ReplacePriorFiles(const PriorReport& prior);

// Files of the previous report that are unchanged and that the new report does not write.
struct UnwrittenFiles {
  std::vector<proto::Input> stale;  // plots and pieces of a format that is written again; must be removed
  std::vector<proto::Input> kept;   // others, such as a page of a format that is not requested this time
};

// Returns the files of `prior` that are not in `written`.
UnwrittenFiles FindUnwrittenFiles(const std::string& stem, const ReportFormats& formats, const PriorReport& prior,
                                  const std::vector<proto::Input>& written);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_PRIOR_REPORT_H_
