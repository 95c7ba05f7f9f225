// What a published table must hold to be audited. It was typed in by hand, and so is not to be believed unchecked.
#ifndef LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CHECK_H_
#define LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CHECK_H_

#include <cstdint>

#include "absl/status/status.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Largest number of tables of one document, and of numbers in all of them. The documents of data/published have 20 tables
// and 194 numbers at most. What reads a document takes time that grows faster than these numbers.
inline constexpr int kMaxPublishedTables = 500;
inline constexpr int kMaxPublishedNumbers = 10'000;

// Returns FailedPreconditionError if there are more.
absl::Status CheckPublishedSize(int64_t tables, int64_t numbers);

// OK, or DataLoss: a quantity that is not said, digits that are not a number, a time or what is made of times without
// devices or batch.
absl::Status CheckPublishedValue(const proto::PublishedValue& value);

// OK, or DataLoss naming table and value: the above, names that are missing or twice, two values that nothing tells
// apart, and claims or facts that lib/published/statement.h does not know. FailedPrecondition: as CheckPublishedSize.
absl::Status CheckPublishedTables(const proto::PublishedTables& tables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_PUBLISHED_CHECK_H_
