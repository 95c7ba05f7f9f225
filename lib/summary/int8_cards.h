// Cards of B1 to B5. Of several networks, the first that has the numbers is shown.
#ifndef LOCKSTEP_LIB_SUMMARY_INT8_CARDS_H_
#define LOCKSTEP_LIB_SUMMARY_INT8_CARDS_H_

#include <optional>
#include <string>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"
#include "lib/statistics/paired_proportions.h"

namespace lockstep {

// Returns the images that the stage classifies differently from fp32, of the first network that has both; no value if
// none has.
std::optional<PairedChanges> ChangesOf(const LabRecords& lab, proto::QuantizeStage stage);

// Returns the title of the network of ChangesOf: "LeNet-5"; empty if there is none.
std::string TitleOfChanges(const LabRecords& lab, proto::QuantizeStage stage);

proto::SummaryCard CardB1(const LabRecords& lab);
proto::SummaryCard CardB2(const LabRecords& lab);
proto::SummaryCard CardB3(const LabRecords& lab);
proto::SummaryCard CardB4(const LabRecords& lab);
proto::SummaryCard CardB5(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_INT8_CARDS_H_
