#include "lib/reducer/bucket_plan_auto.h"

#include <algorithm>
#include <limits>

namespace lockstep {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Gradients in order of readiness, as prefix sums: the readiness and the size of an interval take constant time.
class Line {
 public:
  Line(const std::vector<TimedGradient>& gradients, const std::vector<size_t>& ready_order)
      : bytes_before_(1, 0), ready_(1, 0) {
    for (const size_t gradient : ready_order) {
      bytes_before_.push_back(bytes_before_.back() + gradients[gradient].sent_bytes);
      ready_.push_back(std::max(ready_.back(), gradients[gradient].ready_seconds));
    }
  }
  size_t size() const { return ready_.size() - 1; }

  // Returns true if [from, to) may be a bucket.
  bool MayBe(size_t from, size_t to) const {
    return to < size() || from + 1 == to || bytes_before_[to] - bytes_before_[from] <= kLastBucketMaxBytes;
  }

  double Finish(size_t from, size_t to, double finish_before, const AllReduceSeconds& all_reduce) const {
    const auto bytes = static_cast<double>(bytes_before_[to] - bytes_before_[from]);
    return std::max(ready_[to], finish_before) + all_reduce.alpha_seconds + all_reduce.beta_seconds_per_byte * bytes;
  }

 private:
  std::vector<uint64_t> bytes_before_;
  std::vector<double> ready_;  // time at which the first n gradients are ready; negative times count as 0
};

// Best cut of the first `to` gradients into one more bucket than the previous row.
struct Cut {
  double finish = kNever;
  size_t from = 0;  // start of its last bucket
};

}  // namespace

std::vector<size_t> OrderByReadiness(const std::vector<TimedGradient>& gradients,
                                     const std::vector<size_t>& ready_order) {
  std::vector<size_t> order = ready_order;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return gradients[a].ready_seconds < gradients[b].ready_seconds; });
  return order;
}

// A bucket that finishes later never makes a later bucket finish earlier. So the best cut of n gradients is the best
// cut of the gradients before its last bucket, plus that bucket. rows[k][n] is the best cut into k + 1 buckets.
BucketPlan PlanBucketsByTime(const std::vector<TimedGradient>& gradients, const std::vector<size_t>& ready_order,
                             const AllReduceSeconds& all_reduce) {
  const Line line(gradients, ready_order);
  const size_t n = line.size();
  std::vector<std::vector<Cut>> rows;
  std::vector<Cut> before(n + 1);
  before[0].finish = 0;
  size_t best = 0;
  for (size_t k = 0; k < n; ++k) {
    std::vector<Cut> row(n + 1);
    for (size_t to = k + 1; to <= n; ++to) {
      for (size_t from = k; from < to; ++from) {
        const double finish = line.Finish(from, to, before[from].finish, all_reduce);
        if (line.MayBe(from, to) && finish < row[to].finish) {
          row[to] = {finish, from};
        }
      }
    }
    rows.push_back(row);
    before = std::move(row);
    best = rows[k][n].finish < rows[best][n].finish ? k : best;
  }
  BucketPlan plan;
  for (size_t to = n, k = best; to > 0; --k) {
    const size_t from = rows[k][to].from;
    plan.emplace(plan.begin(), ready_order.begin() + static_cast<std::ptrdiff_t>(from),
                 ready_order.begin() + static_cast<std::ptrdiff_t>(to));
    to = from;
  }
  return plan;
}

double LastFinishSeconds(const BucketPlan& plan, const std::vector<TimedGradient>& gradients,
                         const AllReduceSeconds& all_reduce) {
  double finish = 0;
  for (const std::vector<size_t>& bucket : plan) {
    const Line line(gradients, bucket);
    finish = line.Finish(0, line.size(), finish, all_reduce);
  }
  return finish;
}

}  // namespace lockstep
