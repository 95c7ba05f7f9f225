// Small document in which every number follows. Tests change one thing in it. Test-only.
#ifndef LOCKSTEP_LIB_AUDIT_SMALL_DOCUMENT_TESTING_H_
#define LOCKSTEP_LIB_AUDIT_SMALL_DOCUMENT_TESTING_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"
#include "lib/proto/published.pb.h"

namespace lockstep::testing {

inline constexpr double kParameters = 1'000'000;
inline constexpr double kImages = 50'000;
inline constexpr double kPeak = 40e9;
inline constexpr uint32_t kRanks[] = {2, 4};
inline constexpr uint32_t kBatches[] = {32, 128, 512};

// Returns the epoch seconds of 1, 2 or 4 devices at one of the batches, with three decimals. T(1, 128) and T(1, 512)
// are also base cases of strong scaling.
double T(uint32_t ranks, uint32_t batch);

// Returns T_N - T_1/N in seconds.
double Communication(uint32_t n, uint32_t b);

// Returns the number of bytes that one device sends in an all-reduce of kParameters floats.
double Bytes(uint32_t n);

// Returns bytes per second, for images/(B*N) iterations per epoch.
double Bandwidth(uint32_t n, uint32_t b);

void Add(proto::PublishedTable& table, proto::PublishedQuantity quantity, uint32_t devices, uint32_t batch,
         const std::string& as_printed);

using Formula = std::function<double(uint32_t n, uint32_t b)>;

// Adds a table of one quantity over all ranks and batches.
void AddTable(proto::PublishedTables& document, const std::string& name, proto::PublishedQuantity quantity,
              int decimals, const Formula& formula);

// Returns a document with only the times, in the table "times", and the document's statements.
proto::PublishedTables Times();

// Returns the times and all numbers that can be computed from them.
proto::PublishedTables Clean();

proto::PublishedValue& ValueOf(proto::PublishedTables& document, const std::string& table, int i);

// Returns the audited values of one table.
std::vector<proto::AuditedValue> AuditOf(const proto::PublishedTables& document, const std::string& table);

// Expects that every value has this finding and these flags, and that its first convention contains this text.
void ExpectAll(const std::vector<proto::AuditedValue>& values, proto::Finding finding, const std::string& convention,
               const std::vector<std::string>& flags);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_AUDIT_SMALL_DOCUMENT_TESTING_H_
