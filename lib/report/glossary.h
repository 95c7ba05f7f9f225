// Terms of a page that a reader may not know.
#ifndef LOCKSTEP_LIB_REPORT_GLOSSARY_H_
#define LOCKSTEP_LIB_REPORT_GLOSSARY_H_

#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the terms that occur in the text of the sections, in alphabetical order. Data that is only named (a record's
// path, a command) counts as text.
std::vector<proto::Term> GlossaryOf(const std::vector<proto::Section>& sections);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_GLOSSARY_H_
