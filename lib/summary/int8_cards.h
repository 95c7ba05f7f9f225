// Cards of B1 to B5. Of several networks, the first that has the numbers is shown.
#ifndef LOCKSTEP_LIB_SUMMARY_INT8_CARDS_H_
#define LOCKSTEP_LIB_SUMMARY_INT8_CARDS_H_

#include <optional>
#include <string>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"
#include "lib/summary/int8_verdicts.h"

namespace lockstep {

// Facts of the verdict on one network.
struct NetworkInt8Facts {
  std::string title;  // title of the network: "LeNet-5"
  Int8Facts facts;
};

// Returns the facts in this stage of the first network that has both the stage and fp32; no value if no network has.
std::optional<NetworkInt8Facts> Int8FactsOf(const LabRecords& lab, proto::QuantizeStage stage);

proto::SummaryCard CardB1(const LabRecords& lab);
proto::SummaryCard CardB2(const LabRecords& lab);
proto::SummaryCard CardB3(const LabRecords& lab);
proto::SummaryCard CardB4(const LabRecords& lab);
proto::SummaryCard CardB5(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_INT8_CARDS_H_
