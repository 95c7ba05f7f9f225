// Counts the data handed over to be sent, by kind. Does not depend on LibTorch.
#ifndef LOCKSTEP_LIB_SCALE_RUN_TRAFFIC_COUNT_H_
#define LOCKSTEP_LIB_SCALE_RUN_TRAFFIC_COUNT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/proto/scale.pb.h"

namespace lockstep {

class TrafficCount {
 public:
  void Add(const std::string& kind, uint64_t calls, uint64_t bytes);
  void AddSeconds(const std::string& kind, double busy_seconds);
  void Add(const proto::Traffic& traffic);  // record of ToRecords

  // Returns a record for each kind that had a call. Sets `steps` in the records of the kinds that every step sends.
  std::vector<proto::Traffic> ToRecords(uint64_t steps) const;

 private:
  struct Count {
    uint64_t calls = 0;
    uint64_t bytes = 0;
    double seconds = 0;
  };
  std::map<std::string, Count> of_kind_;
};

// Kinds of traffic that every step sends.
inline constexpr char kGradientTraffic[] = "gradients";
inline constexpr char kBufferTraffic[] = "batch-norm buffers";
inline constexpr char kBatchNormTraffic[] = "batch-norm sums";

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_TRAFFIC_COUNT_H_
