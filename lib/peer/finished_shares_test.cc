// Tests of SharedMemoryAllReduceOptions::finish_share.
#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/forked_ranks_testing.h"
#include "lib/peer/shared_memory_all_reduce.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ForkedRank;
using ::lockstep::testing::RunForkedRanks;
using ::testing::Each;

// Returns options with small chunks, so that a few thousand elements cross every boundary.
SharedMemoryAllReduceOptions SmallOptions(const ForkedRank& rank) {
  SharedMemoryAllReduceOptions options;
  options.rank = rank.rank;
  options.size = rank.size;
  options.timeout = absl::Seconds(30);
  options.gather = rank.gather;
  options.chunk_bytes = 1024;
  options.in_place_bytes = 512;
  options.in_place_chunk_bytes = 2048;
  return options;
}

// Each rank r holds r + 1 + i % 5 in element i. The operation on a share multiplies by 1000, so each element of the sum
// over N ranks is 1000 * (N (N + 1) / 2 + N (i % 5)), exact in fp32 and fp64, if it was finished exactly once. Sizes
// are at, below and above each boundary. Also checks that the shares of all ranks together are the whole sum.
template <typename Number>
std::string SumThousandfold(const ForkedRank& rank, SumType type) {
  size_t finished = 0;  // elements in the shares of this rank
  SharedMemoryAllReduceOptions options = SmallOptions(rank);
  options.finish_share = [&](void* share, size_t count, SumType of) {
    auto* const numbers = static_cast<Number*>(share);
    std::transform(numbers, numbers + count, numbers, [](Number x) { return 1000 * x; });
    finished += count;
    return count > 0 && of == type ? absl::OkStatus() : absl::InternalError("wrong arguments");
  };
  const auto ranks = SharedMemoryAllReduce::Open(options);
  const auto buffer = (*ranks)->MakeBuffer(12000);
  size_t summed = 0;
  for (const size_t base : {0, 16, 32, 128, 256, 512, 1024, 1280}) {
    for (const int offset : {-1, 0, 1, 3}) {
      for (const bool in_place : {false, true}) {
        const auto count = static_cast<size_t>(std::max<int>(0, static_cast<int>(base) + offset));
        std::vector<Number> own(count + 1);
        Number* const data = in_place ? reinterpret_cast<Number*>((*buffer)->data()) : own.data();
        for (size_t i = 0; i < count; ++i) {
          data[i] = static_cast<Number>(rank.rank + 1 + i % 5);
        }
        if (const absl::Status status = (*ranks)->AllReduceSum(data, count, type); !status.ok()) {
          return status.ToString();
        }
        for (size_t i = 0; i < count; ++i) {
          if (data[i] != static_cast<Number>(1000 * rank.size * ((rank.size + 1) + 2 * (i % 5)) / 2)) {
            return absl::StrCat("element ", i, " of ", count, in_place ? " in place" : "", ": ", data[i]);
          }
        }
        summed += count;
      }
    }
  }
  const auto shares = rank.gather(absl::StrCat(finished));
  size_t all = 0;
  for (const std::string& share : *shares) {
    all += static_cast<size_t>(std::stoul(share));
  }
  return all == summed ? "right" : absl::StrCat(all, " of ", summed, " elements were finished");
}

TEST(FinishedSharesTest, EveryElementIsFinishedOnce) {
  for (const int size : {1, 2, 3, 5}) {
    EXPECT_THAT(
        RunForkedRanks(size, [](const ForkedRank& rank) { return SumThousandfold<float>(rank, SumType::kFloat); }),
        Each("right"))
        << size;
    EXPECT_THAT(
        RunForkedRanks(size, [](const ForkedRank& rank) { return SumThousandfold<double>(rank, SumType::kDouble); }),
        Each("right"))
        << size;
  }
}

// Rank 1 cannot finish its share. It gets the error of the operation, the others miss it, and all later calls fail.
TEST(FinishedSharesTest, AnErrorEndsTheCallsOfAllRanks) {
  const auto results = RunForkedRanks(3, [](const ForkedRank& rank) {
    SharedMemoryAllReduceOptions options = SmallOptions(rank);
    options.timeout = absl::Milliseconds(200);
    options.names = {10, 11, 12};
    options.finish_share = [&](void*, size_t, SumType) {
      return rank.rank == 1 ? absl::UnavailableError("the other host is gone") : absl::OkStatus();
    };
    const auto ranks = SharedMemoryAllReduce::Open(options);
    std::vector<float> data(1000, 1);
    const absl::Status status = (*ranks)->AllReduceSum(data.data(), data.size(), SumType::kFloat);
    const bool stays = (*ranks)->Broadcast(data.data(), 4, 0) == status;
    return absl::StrCat(status.message(), stays ? "" : ", forgotten");
  });
  EXPECT_EQ(results[1], "the other host is gone");
  for (const int rank : {0, 2}) {
    EXPECT_EQ(results[rank], "shared-memory all-reduce number 1: rank 11 did not arrive within 200ms") << rank;
  }
}

}  // namespace
}  // namespace lockstep
