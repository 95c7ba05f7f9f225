#include "lib/prediction/overlap.h"

#include <algorithm>

namespace lockstep {
namespace {

// Returns the time at which the first `bytes` of the gradient are ready, linear between the buckets' ends.
double ReadySeconds(const std::vector<BucketLoad>& buckets, double bytes) {
  double before_bytes = 0, before_seconds = 0;
  for (const BucketLoad& bucket : buckets) {
    const double share = bucket.size_bytes > 0 ? (bytes - before_bytes) / bucket.size_bytes : 1;
    if (share <= 1) {
      return before_seconds + share * (bucket.ready_seconds - before_seconds);
    }
    before_bytes += bucket.size_bytes;
    before_seconds = bucket.ready_seconds;
  }
  return before_seconds;
}

}  // namespace

double FinishSeconds(const std::vector<BucketLoad>& buckets, const SecondsOfBytes& all_reduce_seconds) {
  double finish = 0;
  for (const BucketLoad& bucket : buckets) {
    finish = std::max(bucket.ready_seconds, finish) + all_reduce_seconds(bucket.size_bytes);
  }
  return finish;
}

double ExposedBySchedule(const std::vector<BucketLoad>& buckets, const SecondsOfBytes& all_reduce_seconds) {
  return buckets.empty() ? 0 : FinishSeconds(buckets, all_reduce_seconds) - buckets.back().ready_seconds;
}

std::vector<BucketLoad> Rebucket(const std::vector<BucketLoad>& buckets, double first_bucket_bytes,
                                 double bucket_bytes) {
  double total = 0;
  for (const BucketLoad& bucket : buckets) {
    total += bucket.size_bytes;
  }
  std::vector<BucketLoad> result;
  for (double sent = 0; sent < total; sent += result.back().size_bytes) {
    const double size = std::min(total - sent, result.empty() ? first_bucket_bytes : bucket_bytes);
    result.push_back({size, ReadySeconds(buckets, sent + size)});
  }
  return result;
}

}  // namespace lockstep
