// A summary as plain blocks of text, which every renderer writes in its own notation.
#ifndef LOCKSTEP_LIB_PAGE_SUMMARY_TEXT_H_
#define LOCKSTEP_LIB_PAGE_SUMMARY_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns "answered", "partly answered", "not answered".
absl::string_view AnswerStateText(proto::AnswerState state);

// Returns "ok", "warning", "missing".
absl::string_view CheckStateText(proto::CheckState state);

// Returns "3.96 times as fast as one on 4 H100 at batch 512 per device, 99 % of ideal"; empty without a number.
std::string HeadlineText(const proto::Headline& headline);

// Returns "4 warnings. Worst: A noisy machine."; empty without warnings.
std::string WarningChipText(const proto::Summary& summary);

// Returns "1 of 12 questions answered, 1 partly: Q1 answered, Q2 partly answered, ..."; the number of answers is left
// out if the summary has none.
std::string ChipsText(const proto::Summary& summary);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_SUMMARY_TEXT_H_
