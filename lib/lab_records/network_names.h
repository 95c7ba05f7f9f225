// Names of quantized networks on a page that has several of one model.
#ifndef LOCKSTEP_LIB_LAB_RECORDS_NETWORK_NAMES_H_
#define LOCKSTEP_LIB_LAB_RECORDS_NETWORK_NAMES_H_

#include <string>

#include "lib/lab_records/lab_records.h"

namespace lockstep {

// Returns the name of `network`, "resnet18". If another network of `lab` has the same name, the file name of the
// checkpoint follows, "resnet18 (best.pt)", or, if another record has the same checkpoint, the record and the
// checkpoint, "resnet18 (per_channel.rec: best.pt)". `network` must be an element of `file.networks`, and `file` one of
// `lab.quantized`.
std::string NetworkName(const LabRecords& lab, const LabQuantized& file, const proto::QuantizedNetwork& network);

// Returns the same with the title of the model instead of its name: "ResNet-18 (best.pt)".
std::string NetworkTitle(const LabRecords& lab, const LabQuantized& file, const proto::QuantizedNetwork& network);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_RECORDS_NETWORK_NAMES_H_
