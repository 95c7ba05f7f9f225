// What a published table must hold to be audited. It was typed in by hand, and so is not to be believed unchecked.
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CHECK_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CHECK_H_

#include "absl/status/status.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// OK, or DataLoss: a quantity that is not said, digits that are not a number, a time or what is made of times without
// devices or batch.
absl::Status CheckPublishedValue(const proto::PublishedValue& value);

// OK, or DataLoss naming table and value: the above, names that are missing or twice, and two values that nothing tells
// apart.
absl::Status CheckPublishedTables(const proto::PublishedTables& tables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CHECK_H_
