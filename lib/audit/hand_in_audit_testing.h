// Helpers that audit a published hand-in and check the result. Test-only.
#ifndef LOCKSTEP_LIB_AUDIT_HAND_IN_AUDIT_TESTING_H_
#define LOCKSTEP_LIB_AUDIT_HAND_IN_AUDIT_TESTING_H_

#include <map>
#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {
namespace testing {

// Relative tolerance for a handful of double operations on either side.
inline constexpr double kArithmetic = 1e-12;

// Returns the audit of data/published/NAME.
std::vector<proto::AuditTable> AuditHandIn(const std::string& name);

// One printed number. `digits` distinguishes numbers with the same quantity, devices and batch.
struct Expected {
  const char* table;
  proto::PublishedQuantity quantity;
  uint32_t devices;
  uint64_t batch;
  const char* digits;
  double value;            // value computed in the test
  const char* convention;  // part of the convention's text
};

// Returns null, and fails the test, if there is no such number.
const proto::AuditedValue* Find(const std::vector<proto::AuditTable>& tables, const std::string& table,
                                proto::PublishedQuantity quantity, uint32_t devices, uint64_t batch,
                                const std::string& digits);

void ExpectReproduced(const std::vector<proto::AuditTable>& tables, const Expected& expected);

// Number of values with each finding.
struct Findings {
  int given = 0;
  int reproduced = 0;
  int ambiguous = 0;
  int not_reproducible = 0;
};
void ExpectFindings(const std::vector<proto::AuditTable>& tables, const Findings& expected);

// Returns each flag of a document with the number of values that carry it.
std::map<std::string, int> CountFlags(const std::vector<proto::AuditTable>& tables);

}  // namespace testing
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_HAND_IN_AUDIT_TESTING_H_
