// Comparison of the audit with a manual judgement of every number of a published scaling table. Test-only.
#ifndef LOCKSTEP_LIB_AUDIT_SCALING_TABLE_AUDIT_TESTING_H_
#define LOCKSTEP_LIB_AUDIT_SCALING_TABLE_AUDIT_TESTING_H_

#include <string>
#include <vector>

#include "lib/proto/published.pb.h"

namespace lockstep::testing {

// Manual judgement of one derived number, made with a calculator.
enum class ByHand {
  kFollows,         // follows by the plain formula from the columns of its label, correctly rounded
  kBaseNotOne,      // same formula over the declared base of several devices; flagged
  kWithinRounding,  // follows only from inputs with more digits than printed
  kCutOff,          // follows with digits cut off
  kOtherDevices,    // follows from rows labelled with another number of devices
  kOtherColumn,     // follows from another column than labelled
  kDoesNotFollow,
};

struct Judgement {
  const char* table;
  proto::PublishedQuantity quantity;
  const char* context;
  uint32_t devices;
  const char* printed;
  double value;  // correct value, computed manually from the printed inputs
  ByHand by_hand;
};

constexpr proto::PublishedQuantity kSpeedup = proto::SPEEDUP;
constexpr proto::PublishedQuantity kEfficiency = proto::EFFICIENCY_PERCENT;
constexpr proto::PublishedQuantity kRate = proto::ITEMS_PER_SECOND;

// Audits data/published/NAME and expects that every number that is not given has a judgement, and that the audit agrees
// with it. `given` is the number of given values.
void ExpectJudged(const std::string& name, const std::vector<Judgement>& judgements, int given);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_AUDIT_SCALING_TABLE_AUDIT_TESTING_H_
