#include "lib/dist/traffic_count.h"

namespace lockstep {

void TrafficCount::Add(const std::string& kind, uint64_t calls, uint64_t bytes) {
  of_kind_[kind].calls += calls;
  of_kind_[kind].bytes += bytes;
}

void TrafficCount::Add(const TrafficCount& other) {
  for (const auto& [kind, count] : other.of_kind_) {
    Add(kind, count.calls, count.bytes);
  }
}

std::vector<proto::Traffic> TrafficCount::ToRecords(uint64_t steps) const {
  std::vector<proto::Traffic> records;
  for (const auto& [kind, count] : of_kind_) {
    if (count.calls == 0) {
      continue;
    }
    proto::Traffic& traffic = records.emplace_back();
    traffic.set_kind(kind);
    traffic.set_calls(count.calls);
    traffic.set_size_bytes(count.bytes);
    if (kind == kGradientTraffic || kind == kBufferTraffic) {
      traffic.set_steps(steps);
    }
  }
  return records;
}

}  // namespace lockstep
