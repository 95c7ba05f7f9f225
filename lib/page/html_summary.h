// Header and summary of the HTML report.
#ifndef LOCKSTEP_LIB_PAGE_HTML_SUMMARY_H_
#define LOCKSTEP_LIB_PAGE_HTML_SUMMARY_H_

#include <string>

#include "lib/proto/report.pb.h"

namespace lockstep {

// Appends the header of the page: title, and of `section`'s summary the scope, the badges and one chip with the number
// of warnings and the worst one, which opens the list of `section`'s warnings.
void AppendPageHead(const std::string& title, const proto::Section& section, std::string& out);

// Appends the lead, a chip for each question, the two checklists, and one card for each question.
void AppendSummary(const proto::Summary& summary, std::string& out);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_SUMMARY_H_
