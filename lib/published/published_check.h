// Requirements on a published table that is audited. Tables are typed by people, so each one is checked.
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CHECK_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Largest number of tables of one document, and of numbers in all of them. The documents of data/published have at most
// 20 tables and 194 numbers. The time to process a document grows faster than these numbers.
inline constexpr int kMaxPublishedTables = 500;
inline constexpr int kMaxPublishedNumbers = 10'000;

// Returns FailedPreconditionError if either number is above its limit.
absl::Status CheckPublishedSize(int64_t tables, int64_t numbers);

// DataLoss: a missing quantity, digits that are not a number, a time of a clock (IsClockTime of published_unit.h) that
// is not above 0, or a time or a quantity computed from times without devices or batch. Times that documents compute by
// a subtraction may be negative.
absl::Status CheckPublishedValue(const proto::PublishedValue& value);

// DataLoss, naming table and value: errors of CheckPublishedValue, missing or duplicate names, two values with the same
// identity, or claims or facts that lib/published/statement.h does not allow. FailedPrecondition: as
// CheckPublishedSize.
absl::Status CheckPublishedTables(const proto::PublishedTables& tables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CHECK_H_
