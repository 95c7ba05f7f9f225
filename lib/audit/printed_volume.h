// Bandwidths computed from a volume in GB, MB or MiB exactly as the document prints it, however the volume was
// obtained.
#ifndef LOCKSTEP_LIB_AUDIT_PRINTED_VOLUME_H_
#define LOCKSTEP_LIB_AUDIT_PRINTED_VOLUME_H_

#include <vector>

#include "lib/audit/conventions.h"
#include "lib/audit/traffic_inputs.h"

namespace lockstep {

// Returns the number that a column of traffic prints for this place. A number without a batch is for one iteration.
// Null: not printed.
const Cell* VolumeAt(const Source& volume, const TablePlace& place);

// Adds conventions for the volumes of `inputs` in MB and MiB: for every unit of the bandwidth, with every way to count
// iterations, and as the volume of an epoch.
void AddFromPrintedMegabytes(const Document& document, const SharedInputs& inputs,
                             std::vector<Convention>& conventions);

// Adds a convention for every volume of `inputs` in GB and every way to count iterations.
void AddFromPrintedVolumes(const Document& document, const SharedInputs& inputs, std::vector<Convention>& conventions);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_PRINTED_VOLUME_H_
