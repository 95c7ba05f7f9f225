#include "lib/scale_run/traffic_count.h"

namespace lockstep {

void TrafficCount::Add(const std::string& kind, uint64_t calls, uint64_t bytes) {
  of_kind_[kind].calls += calls;
  of_kind_[kind].bytes += bytes;
}

void TrafficCount::AddSeconds(const std::string& kind, double busy_seconds) { of_kind_[kind].seconds += busy_seconds; }

void TrafficCount::Add(const proto::Traffic& traffic) {
  Add(traffic.kind(), traffic.calls(), traffic.size_bytes());
  AddSeconds(traffic.kind(), traffic.busy_seconds());
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
    traffic.set_busy_seconds(count.seconds);
    if (kind == kGradientTraffic || kind == kBufferTraffic || kind == kBatchNormTraffic) {
      traffic.set_steps(steps);
    }
  }
  return records;
}

}  // namespace lockstep
