#include "lib/scale_run/epoch_orders.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/record/digest.h"
#include "lib/train/epoch_order.h"

namespace lockstep {
namespace {

// Maximum number of epochs that are described one by one. Each takes a digest of 64 bytes, and later epochs of a long
// run add no information.
constexpr uint32_t kMaxReportedEpochs = 1000;

std::string DigestOf(const std::vector<uint32_t>& order) {
  return Sha256Hex(absl::string_view(reinterpret_cast<const char*>(order.data()), order.size() * sizeof(order[0])));
}

// Returns the images of each batch, sorted.
std::vector<std::vector<uint32_t>> BatchesOf(const std::vector<uint32_t>& order, uint32_t batch) {
  std::vector<std::vector<uint32_t>> batches;
  for (size_t first = 0; first < order.size(); first += batch) {
    const size_t end = std::min(order.size(), first + batch);
    batches.emplace_back(order.begin() + first, order.begin() + end);
    std::sort(batches.back().begin(), batches.back().end());
  }
  return batches;
}

}  // namespace

std::vector<uint32_t> EpochOrders::OrderOf(uint32_t epoch) const {
  return EpochShard(training_, images_, ranks_, rank_, epoch).order;
}

uint64_t EpochOrders::padded() const { return EpochShard(training_, images_, ranks_, rank_, 0).padded; }

void EpochOrders::Describe(uint32_t epochs, uint32_t batch, proto::RankFacts& facts) const {
  const std::vector<uint32_t> timed = OrderOf(training_.warmup_epochs());
  facts.set_order_sha256(DigestOf(timed));
  facts.set_distinct_images(std::set<uint32_t>(timed.begin(), timed.end()).size());
  std::set<uint32_t> ever;
  uint64_t batches = 0, repeated = 0;
  std::vector<std::vector<uint32_t>> before;
  for (uint32_t epoch = 0; epoch < std::min(epochs, kMaxReportedEpochs); ++epoch) {
    const std::vector<uint32_t> order = OrderOf(epoch);
    facts.add_epoch_order_sha256(DigestOf(order));
    ever.insert(order.begin(), order.end());
    std::vector<std::vector<uint32_t>> now = BatchesOf(order, batch);
    for (size_t i = 0; epoch > 0 && i < now.size(); ++i) {
      ++batches;
      repeated += now[i] == before[i] ? 1 : 0;
    }
    before = std::move(now);
  }
  facts.set_distinct_images_ever(ever.size());
  facts.set_repeated_batch_share(batches == 0 ? 0 : static_cast<double>(repeated) / static_cast<double>(batches));
}

}  // namespace lockstep
