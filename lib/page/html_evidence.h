// Sentences of a section in the HTML report: answers with their evidence, verdicts, warnings and paragraphs.
#ifndef LOCKSTEP_LIB_PAGE_HTML_EVIDENCE_H_
#define LOCKSTEP_LIB_PAGE_HTML_EVIDENCE_H_

#include <string>

#include "lib/proto/report.pb.h"

namespace lockstep {

// Appends the claims of a section, those of one question in one closed box. The id "answer-QUESTION" is inside the box,
// so that a link to it opens the box.
void AppendEvidence(const proto::Section& section, std::string& out);

// Appends the claims as one line each, with a link.
void AppendVerdicts(const proto::Section& section, std::string& out);

// Appends the warnings. If there are many, the first two are shown and the others are in a closed box.
void AppendWarnings(const proto::Section& section, std::string& out);

void AppendParagraphs(const proto::Section& section, std::string& out);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_HTML_EVIDENCE_H_
