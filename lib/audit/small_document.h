// A small document whose every number follows, for tests that spoil one thing in it. Test-only.
#ifndef LOCKSTEP_LIB_AUDIT_SMALL_DOCUMENT_H_
#define LOCKSTEP_LIB_AUDIT_SMALL_DOCUMENT_H_

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

// Epoch seconds of 1, 2 or 4 devices at one of the batches, three decimals. T(1, 128) and T(1, 512) serve as strong
// base cases, too.
double T(uint32_t ranks, uint32_t batch);

// T_N - T_1/N, seconds.
double Communication(uint32_t n, uint32_t b);

// Bytes that an all-reduce of kParameters floats sends per device.
double Bytes(uint32_t n);

// Bytes per second, with images/(B*N) iterations.
double Bandwidth(uint32_t n, uint32_t b);

void Add(proto::PublishedTable& table, proto::PublishedQuantity quantity, uint32_t devices, uint32_t batch,
         const std::string& as_printed);

using Formula = std::function<double(uint32_t n, uint32_t b)>;

// A table of one quantity over all ranks and batches.
void AddTable(proto::PublishedTables& document, const std::string& name, proto::PublishedQuantity quantity,
              int decimals, const Formula& formula);

// Only the times, in a table of that name, and what the document says of itself.
proto::PublishedTables Times();

// Times, and all that can be made of them.
proto::PublishedTables Clean();

proto::PublishedValue& ValueOf(proto::PublishedTables& document, const std::string& table, int i);

// All that was found of one table.
std::vector<proto::AuditedValue> AuditOf(const proto::PublishedTables& document, const std::string& table);

// Every value has this finding and these flags; the first convention holds this text.
void ExpectAll(const std::vector<proto::AuditedValue>& values, proto::Finding finding, const std::string& convention,
               const std::vector<std::string>& flags);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_AUDIT_SMALL_DOCUMENT_H_
