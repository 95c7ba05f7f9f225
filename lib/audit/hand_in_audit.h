// The audit of a published hand-in, and how tests look at it.
#ifndef LOCKSTEP_LIB_AUDIT_HAND_IN_AUDIT_H_
#define LOCKSTEP_LIB_AUDIT_HAND_IN_AUDIT_H_

#include <map>
#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {
namespace testing {

// Relative; a handful of double operations on either side.
inline constexpr double kArithmetic = 1e-12;

// The tables of data/published/NAME, audited.
std::vector<proto::AuditTable> AuditHandIn(const std::string& name);

// One printed number. `digits` tells it apart where quantity, devices and batch do not.
struct Expected {
  const char* table;
  proto::PublishedQuantity quantity;
  uint32_t devices;
  uint64_t batch;
  const char* digits;
  double value;            // by hand
  const char* convention;  // part of the convention's text
};

// Null, and a failure of the test, when it is not there.
const proto::AuditedValue* Find(const std::vector<proto::AuditTable>& tables, const std::string& table,
                                proto::PublishedQuantity quantity, uint32_t devices, uint64_t batch,
                                const std::string& digits);

void ExpectReproduced(const std::vector<proto::AuditTable>& tables, const Expected& expected);

// How many numbers have each finding; all four are there.
struct Findings {
  int given = 0;
  int reproduced = 0;
  int ambiguous = 0;
  int not_reproducible = 0;
};
void ExpectFindings(const std::vector<proto::AuditTable>& tables, const Findings& expected);

// Every flag of a document with the number of values that carry it.
std::map<std::string, int> CountFlags(const std::vector<proto::AuditTable>& tables);

}  // namespace testing
}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_HAND_IN_AUDIT_H_
