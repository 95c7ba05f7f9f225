// Published scaling tables judged by hand, number by number, and by the audit. Test-only.
#ifndef LOCKSTEP_LIB_AUDIT_SCALING_TABLE_AUDIT_H_
#define LOCKSTEP_LIB_AUDIT_SCALING_TABLE_AUDIT_H_

#include <string>
#include <vector>

#include "lib/proto/published.pb.h"

namespace lockstep::testing {

// What a person with a calculator says of one derived number.
enum class ByHand {
  kFollows,         // the plain formula of the columns that it is labelled with, properly rounded
  kBaseNotOne,      // the same over the declared base of several devices, which the audit remarks
  kWithinRounding,  // only from inputs that had more digits than are printed
  kEither,          // of rates as of times, which differ behind the printed digits
  kCutOff,          // the digits are cut off
  kOtherDevices,    // of rows labelled with another number of devices
  kOtherColumn,     // of another column than the one that it is labelled with
  kDoesNotFollow,
};

struct Judgement {
  const char* table;
  proto::PublishedQuantity quantity;
  const char* context;
  uint32_t devices;
  const char* printed;
  double value;  // worked out by hand from the printed inputs; it is what should have been printed
  ByHand by_hand;
};

constexpr proto::PublishedQuantity kSpeedup = proto::SPEEDUP;
constexpr proto::PublishedQuantity kEfficiency = proto::EFFICIENCY_PERCENT;
constexpr proto::PublishedQuantity kRate = proto::ITEMS_PER_SECOND;

// Audits data/published/NAME and compares every number that is not given: there is a judgement of each, and the audit
// comes to the same. `given` counts the others.
void ExpectJudged(const std::string& name, const std::vector<Judgement>& judgements, int given);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_AUDIT_SCALING_TABLE_AUDIT_H_
