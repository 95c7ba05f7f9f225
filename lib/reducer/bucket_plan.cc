#include "lib/reducer/bucket_plan.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace lockstep {

BucketPlan PlanBuckets(const std::vector<uint64_t>& size_bytes, const std::vector<size_t>& ready_order,
                       const BucketCaps& caps) {
  BucketPlan buckets;
  uint64_t filled_bytes = 0;
  bool open = false;
  for (const size_t parameter : ready_order) {
    if (!open) {
      buckets.emplace_back();
      filled_bytes = 0;
      open = true;
    }
    buckets.back().push_back(parameter);
    filled_bytes += size_bytes[parameter];
    open = filled_bytes < (buckets.size() == 1 ? caps.first_bytes : caps.other_bytes);
  }
  return buckets;
}

std::string BucketPlanText(const BucketPlan& plan) {
  return absl::StrJoin(plan, ";", [](std::string* out, const std::vector<size_t>& bucket) {
    absl::StrAppend(out, absl::StrJoin(bucket, ","));
  });
}

absl::StatusOr<BucketPlan> ParseBucketPlan(const std::string& text, size_t parameters) {
  BucketPlan plan;
  std::vector<bool> seen(parameters, false);
  size_t count = 0;
  for (const absl::string_view bucket : absl::StrSplit(text, ';')) {
    plan.emplace_back();
    for (const absl::string_view part : absl::StrSplit(bucket, ',')) {
      uint64_t index = 0;
      if (!absl::SimpleAtoi(part, &index) || index >= parameters || seen[index]) {
        return absl::InternalError(
            absl::StrCat("rank 0 sent '", text, "' as the buckets of ", parameters, " gradients"));
      }
      seen[index] = true;
      plan.back().push_back(index);
      ++count;
    }
  }
  if (count != parameters) {
    return absl::InternalError(absl::StrCat("rank 0 sent '", text, "' as the buckets of ", parameters, " gradients"));
  }
  return plan;
}

}  // namespace lockstep
