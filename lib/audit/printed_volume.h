// Bandwidths computed from a volume in GB exactly as the document prints it, however the volume was obtained.
#ifndef LOCKSTEP_LIB_AUDIT_PRINTED_VOLUME_H_
#define LOCKSTEP_LIB_AUDIT_PRINTED_VOLUME_H_

#include <vector>

#include "lib/audit/conventions.h"
#include "lib/audit/traffic_inputs.h"

namespace lockstep {

// Adds a convention for every volume of `inputs` and every way to count iterations.
void AddFromPrintedVolumes(const Document& document, const SharedInputs& inputs, std::vector<Convention>& conventions);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_PRINTED_VOLUME_H_
