#include "lib/dist/bucket_plan.h"

namespace lockstep {

std::vector<std::vector<size_t>> PlanBuckets(const std::vector<uint64_t>& size_bytes,
                                             const std::vector<size_t>& ready_order, const BucketCaps& caps) {
  std::vector<std::vector<size_t>> buckets;
  uint64_t room_used_bytes = 0;
  bool open = false;
  for (const size_t parameter : ready_order) {
    if (!open) {
      buckets.emplace_back();
      room_used_bytes = 0;
      open = true;
    }
    buckets.back().push_back(parameter);
    room_used_bytes += size_bytes[parameter];
    open = room_used_bytes < (buckets.size() == 1 ? caps.first_bytes : caps.other_bytes);
  }
  return buckets;
}

}  // namespace lockstep
