// Random documents in which every number follows: times of 1, 2 and 4 devices, and all numbers that the right formulas
// give from the times, correctly rounded. Also the range of values that may follow from times as printed. Test-only.
#ifndef LOCKSTEP_LIB_AUDIT_RANDOM_DOCUMENT_TESTING_H_
#define LOCKSTEP_LIB_AUDIT_RANDOM_DOCUMENT_TESTING_H_

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "lib/proto/published.pb.h"

namespace lockstep::testing {

// Random numbers that are the same on every platform: the standard defines the engine's sequence, but not the
// distributions'.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  double Between(double low, double high) { return low + (high - low) * (engine_() / 4294967296.0); }
  uint32_t Below(uint32_t limit) { return static_cast<uint32_t>(Between(0, limit)); }

 private:
  std::mt19937 engine_;
};

// Range of the values that a number may have had before it was rounded.
struct Range {
  double low;
  double exact;  // value from the times as printed
  double high;
};

class RandomDocument {
 public:
  // Inputs of derived numbers: the printed times, or the clock's times, which have more digits. Numbers derived from
  // clock times are printed with one digit less, as their inputs warrant.
  enum class MadeOf { kPrintedTimes, kClockTimes };

  // Documents of even seeds define a gigabyte as 1e9 bytes and count whole iterations; odd seeds: 2^30 and unrounded
  // quotients.
  explicit RandomDocument(uint32_t seed, MadeOf made_of = MadeOf::kPrintedTimes);

  const proto::PublishedTables& tables() const { return tables_; }
  proto::PublishedTables& tables() { return tables_; }
  proto::PublishedTable& table(const std::string& name);

  // Returns the values that the right formula gives for a number of a table, over all times that round to the times
  // which `tables()` currently prints.
  Range Right(const std::string& table, const proto::PublishedValue& value) const;

  // Formats `value` with the number of decimals that the table prints.
  std::string Print(const std::string& table, double value) const;

  // Replaces all numbers of a table.
  void Fill(const std::string& table, const std::function<double(uint32_t devices, uint64_t batch)>& value);

  double BytesPerGigabyte() const { return tables_.claims().bytes_per_gigabyte(); }
  double Iterations(uint32_t devices, uint64_t batch) const;

 private:
  void AddTime(uint32_t devices, uint64_t batch, double seconds, MadeOf made_of);
  void AddDerived(const std::string& name, proto::PublishedQuantity quantity, int decimals);
  double Derived(const std::string& name, uint32_t devices, uint64_t batch) const;
  Range Time(uint32_t devices, uint64_t batch) const;
  double Formula(const std::string& table, uint32_t devices, uint64_t batch, double t_one, double t_n) const;

  proto::PublishedTables tables_;
  std::map<std::string, int> decimals_;                    // number of decimals by table
  std::map<std::pair<uint32_t, uint64_t>, double> clock_;  // times that numbers are derived from
};

// Names of the tables whose numbers follow from times.
inline const char* const kDerivedTables[] = {"weak", "strong", "compute", "communication", "bandwidth", "utilisation"};
inline const uint32_t kRandomRanks[] = {2, 4};
inline const uint64_t kRandomBatches[] = {32, 128, 512};

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_AUDIT_RANDOM_DOCUMENT_TESTING_H_
