#include "lib/peer/shared_memory_all_reduce.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/peer/forked_ranks_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ForkedRank;
using ::lockstep::testing::RunForkedRanks;
using ::testing::Each;
using ::testing::HasSubstr;

// Returns options with small chunks, so that a few thousand elements cross every boundary. The epoch counter wraps
// during the first calls.
SharedMemoryAllReduceOptions SmallOptions(const ForkedRank& rank) {
  SharedMemoryAllReduceOptions options;
  options.rank = rank.rank;
  options.size = rank.size;
  options.timeout = absl::Seconds(30);
  options.gather = rank.gather;
  options.chunk_bytes = 1024;
  options.scatter_bytes = 4096;
  options.streaming_bytes = 8192;
  options.in_place_bytes = 512;
  options.in_place_chunk_bytes = 2048;
  options.first_epoch = 0xFFFFFFF0;
  return options;
}

// Returns element i of rank `rank` in a round: positive or negative, of many magnitudes, different everywhere.
double Term(int rank, uint64_t round, size_t i) {
  std::minstd_rand random(static_cast<uint32_t>(rank * 7919 + round * 104729 + i * 31 + 1));
  random.discard(2);
  const double fraction = static_cast<double>(random()) / 2147483647.0 - 0.5;
  return std::ldexp(fraction, static_cast<int>(random() % 40) - 20);
}

uint16_t ToBFloat16(float x) {
  uint16_t rounded = 0;
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  rounded = static_cast<uint16_t>(bits >> 16);
  const uint32_t rest = bits & 0xFFFF;
  return static_cast<uint16_t>(rounded + (rest > 0x8000 || (rest == 0x8000 && rounded % 2 == 1) ? 1 : 0));
}

float FromBFloat16(uint16_t x) {
  const uint32_t bits = static_cast<uint32_t>(x) << 16;
  float wide;
  std::memcpy(&wide, &bits, sizeof(wide));
  return wide;
}

// Definition of each SumType for one element: this rank's term, and the sum in rank order.
struct FloatTerms {
  using Stored = float;
  static constexpr SumType kType = SumType::kFloat;
  static Stored Own(double term) { return static_cast<float>(term); }
  static Stored Sum(const std::vector<double>& terms) {
    float sum = Own(terms[0]);
    std::for_each(terms.begin() + 1, terms.end(), [&](double term) { sum += Own(term); });
    return sum;
  }
};

struct DoubleTerms {
  using Stored = double;
  static constexpr SumType kType = SumType::kDouble;
  static Stored Own(double term) { return term; }
  static Stored Sum(const std::vector<double>& terms) {
    double sum = terms[0];
    std::for_each(terms.begin() + 1, terms.end(), [&](double term) { sum += term; });
    return sum;
  }
};

struct BFloat16Terms {
  using Stored = uint16_t;
  static constexpr SumType kType = SumType::kBFloat16;
  static Stored Own(double term) { return ToBFloat16(static_cast<float>(term)); }
  static Stored Sum(const std::vector<double>& terms) {
    float sum = FromBFloat16(Own(terms[0]));
    std::for_each(terms.begin() + 1, terms.end(), [&](double term) { sum += FromBFloat16(Own(term)); });
    return ToBFloat16(sum);
  }
};

// Sums as many elements as fit into `bytes`, in `buffer` if it is not null. Compares all bits with a plain sum, and
// checks that the neighbouring elements do not change.
template <typename Terms>
std::string SumAndCompare(SharedMemoryAllReduce& ranks, int rank, int size, uint64_t round, size_t bytes,
                          const SharedBuffer* buffer) {
  using Stored = typename Terms::Stored;
  const size_t count = bytes / sizeof(Stored);
  const Stored guard = Terms::Own(77);
  std::vector<Stored> own(count + 2, guard), expected(count + 1, guard);
  Stored* const data = buffer == nullptr ? own.data() + 1 : reinterpret_cast<Stored*>(buffer->data());
  std::vector<double> terms(size);
  for (size_t i = 0; i < count; ++i) {
    for (int other = 0; other < size; ++other) {
      terms[other] = Term(other, round, i);
    }
    data[i] = Terms::Own(terms[rank]);
    expected[i] = Terms::Sum(terms);
  }
  data[count] = guard;
  const absl::Status status = ranks.AllReduceSum(data, count, Terms::kType);
  if (!status.ok()) {
    return status.ToString();
  }
  const bool same = own[0] == guard && std::memcmp(data, expected.data(), expected.size() * sizeof(Stored)) == 0;
  return same ? "" : absl::StrCat("wrong sum of ", count, " elements of type ", static_cast<int>(Terms::kType));
}

std::string BroadcastAndCompare(SharedMemoryAllReduce& ranks, int rank, int size, uint64_t round, size_t bytes) {
  const int root = static_cast<int>(round % size);
  std::vector<uint8_t> data(bytes), expected(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    expected[i] = static_cast<uint8_t>(root * 37 + round + i * 13 + i / 256);
    data[i] = rank == root ? expected[i] : 0;
  }
  const absl::Status status = ranks.Broadcast(data.data(), bytes, root);
  return !status.ok() ? status.ToString() : data == expected ? "" : absl::StrCat("wrong broadcast of ", bytes);
}

// Makes a call of one kind: a sum of one of three types, or a broadcast, which does not use `buffer`.
std::string AnyCall(SharedMemoryAllReduce& ranks, int rank, int size, int kind, uint64_t round, size_t bytes,
                    const SharedBuffer* buffer = nullptr) {
  switch (kind) {
    case 0:
      return SumAndCompare<FloatTerms>(ranks, rank, size, round, bytes, buffer);
    case 1:
      return SumAndCompare<BFloat16Terms>(ranks, rank, size, round, bytes, buffer);
    case 2:
      return SumAndCompare<DoubleTerms>(ranks, rank, size, round, bytes, buffer);
    default:
      return BroadcastAndCompare(ranks, rank, size, round, bytes);
  }
}

// Makes every kind of call, until the first wrong result, with sizes at, below and above each boundary: of a chunk, of
// a share, and of the change of algorithm.
std::string CrossEveryBoundary(const ForkedRank& rank) {
  const auto ranks = SharedMemoryAllReduce::Open(SmallOptions(rank));
  if (!ranks.ok()) {
    return ranks.status().ToString();
  }
  std::string wrong;
  uint64_t round = 0;
  for (const size_t base : {0, 64, 128, 256, 1024, 2048, 3072, 4096, 5120, 8192, 10240}) {
    for (const int offset : {-8, -2, 0, 2, 8, 24}) {
      const auto bytes = static_cast<size_t>(std::max<int>(0, static_cast<int>(base) + offset));
      for (int kind = 0; kind < 4 && wrong.empty(); ++kind) {
        wrong += AnyCall(**ranks, rank.rank, rank.size, kind, ++round, bytes);
      }
    }
  }
  return wrong.empty() ? "right" : wrong;
}

TEST(SharedMemoryAllReduceTest, SumsOverOneToFiveRanks) {
  for (const int size : {1, 2, 3, 4, 5}) {
    EXPECT_THAT(RunForkedRanks(size, CrossEveryBoundary), Each("right")) << size << " ranks";
  }
}

// Uses the default sizes of chunks.
TEST(SharedMemoryAllReduceTest, SumsInChunksOfTheUsualSize) {
  for (const int size : {2, 3}) {
    EXPECT_THAT(RunForkedRanks(
                    size,
                    [](const ForkedRank& rank) {
                      SharedMemoryAllReduceOptions options = SmallOptions(rank);
                      options.chunk_bytes = SharedMemoryAllReduceOptions().chunk_bytes;
                      options.scatter_bytes = SharedMemoryAllReduceOptions().scatter_bytes;
                      const auto ranks = SharedMemoryAllReduce::Open(options);
                      std::string wrong;
                      for (const size_t base : {options.scatter_bytes, options.chunk_bytes, 5 * options.chunk_bytes}) {
                        for (const int offset : {-4, 0, 4}) {
                          wrong += AnyCall(**ranks, rank.rank, rank.size, 0, base, base + offset);
                        }
                      }
                      return wrong.empty() ? "right" : wrong;
                    }),
                Each("right"));
  }
}

constexpr size_t kMaxBytes = 12000;

// Sums in a buffer with sizes at, below and above each boundary: the smallest sum in place, its pieces, and streaming.
std::string CrossEveryBoundaryInPlace(const ForkedRank& rank) {
  const auto ranks = SharedMemoryAllReduce::Open(SmallOptions(rank));
  const auto buffer = (*ranks)->MakeBuffer(kMaxBytes);
  if (!buffer.ok()) {
    return buffer.status().ToString();
  }
  std::string wrong;
  uint64_t round = 0;
  for (const size_t base : {512, 1024, 2048, 4096, 6144, 8192, 10240}) {
    for (const int offset : {-8, -2, 0, 2, 8, 24}) {
      for (int kind = 0; kind < 3 && wrong.empty(); ++kind) {
        wrong += AnyCall(**ranks, rank.rank, rank.size, kind, ++round, base + offset, buffer->get());
      }
    }
  }
  return wrong.empty() ? "right" : wrong;
}

TEST(SharedMemoryAllReduceTest, SumsInPlaceOverOneToFiveRanks) {
  for (const int size : {1, 2, 3, 4, 5}) {
    EXPECT_THAT(RunForkedRanks(size, CrossEveryBoundaryInPlace), Each("right")) << size << " ranks";
  }
}

// Makes calls of all kinds, in two buffers, which are replaced now and then, and in private memory. A rank fills its
// buffer again as soon as a sum is complete, while others may be late.
std::string ManyRandomCalls(const ForkedRank& rank, uint32_t seed) {
  const auto ranks = SharedMemoryAllReduce::Open(SmallOptions(rank));
  std::shared_ptr<SharedBuffer> buffers[2];
  std::mt19937 shared(seed);  // same sequence on all ranks
  std::mt19937 own(seed + rank.rank + 1);
  std::string wrong;
  for (uint64_t round = 0; round < 1500 && wrong.empty(); ++round) {
    if (own() % 20 == 0) {
      usleep(own() % 500);
    }
    std::shared_ptr<SharedBuffer>& buffer = buffers[shared() % 2];
    if (buffer == nullptr || round == 700) {
      const auto made = (*ranks)->MakeBuffer(kMaxBytes);
      if (!made.ok()) {
        return made.status().ToString();
      }
      buffer = *made;
    }
    const size_t bytes = shared() % (shared() % 2 == 0 ? kMaxBytes - 8 : 1000);
    const auto kind = static_cast<int>(shared() % 4);
    const SharedBuffer* const place = shared() % 2 == 0 ? buffer.get() : nullptr;
    wrong = AnyCall(**ranks, rank.rank, rank.size, kind, round, bytes, place);
  }
  return wrong.empty() ? "right" : wrong;
}

TEST(SharedMemoryAllReduceTest, ManyRandomCallsWithLateRanks) {
  EXPECT_THAT(RunForkedRanks(2, [](const ForkedRank& rank) { return ManyRandomCalls(rank, 3); }), Each("right"));
  EXPECT_THAT(RunForkedRanks(4, [](const ForkedRank& rank) { return ManyRandomCalls(rank, 4); }), Each("right"));
}

TEST(SharedMemoryAllReduceTest, ABufferMayOutliveWhatMadeIt) {
  EXPECT_THAT(RunForkedRanks(2,
                             [](const ForkedRank& rank) {
                               auto ranks = SharedMemoryAllReduce::Open(SmallOptions(rank));
                               const auto buffer = (*ranks)->MakeBuffer(100);
                               ranks->reset();
                               (*buffer)->data()[99] = 7;
                               return absl::StrCat((*buffer)->bytes(), " ", (*buffer)->data()[98], " ",
                                                   (*buffer)->data()[99]);
                             }),
              Each("100 0 7"));
}

// Two groups of processes: 0 and 1, 2 and 3. Each group drops the other group's bytes when it gathers.
TEST(SharedMemoryAllReduceTest, TwoGroupsAtOnceDoNotInterfere) {
  EXPECT_THAT(RunForkedRanks(4,
                             [](const ForkedRank& rank) {
                               ForkedRank half = {rank.rank % 2, 2, nullptr};
                               half.gather = [&](absl::string_view bytes) -> absl::StatusOr<std::vector<std::string>> {
                                 const auto all = rank.gather(bytes);
                                 const int first = rank.rank / 2 * 2;
                                 return std::vector<std::string>{(*all)[first], (*all)[first + 1]};
                               };
                               return ManyRandomCalls(half, rank.rank / 2);
                             }),
              Each("right"));
}

// Sends rank 2 a signal before call 51, and returns this rank's error. All later calls must return the same error.
std::string LoseARank(const ForkedRank& rank, int signal, size_t count, bool in_place) {
  SharedMemoryAllReduceOptions options = SmallOptions(rank);
  options.timeout = absl::Seconds(2);
  const auto ranks = SharedMemoryAllReduce::Open(options);
  std::vector<float> own(count);
  const auto buffer = (*ranks)->MakeBuffer(count * sizeof(float));
  float* const data = in_place ? reinterpret_cast<float*>((*buffer)->data()) : own.data();
  absl::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) {
    if (rank.rank == 2 && i == 50) {
      raise(signal);
    }
    status = (*ranks)->AllReduceSum(data, count, SumType::kFloat);
  }
  const bool stays = (*ranks)->Broadcast(data, 4, 0) == status && (*ranks)->MakeBuffer(1).status() == status;
  return absl::StrCat(status.message(), stays ? "" : ", forgotten");
}

TEST(SharedMemoryAllReduceTest, ARankThatIsLostIsNamed) {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    for (const auto& [count, in_place] : {std::pair{10, false}, {5000, false}, {5000, true}}) {
      const auto results = RunForkedRanks(4, [&, count = count, in_place = in_place](const ForkedRank& rank) {
        return LoseARank(rank, signal, count, in_place);
      });
      for (const int rank : {0, 1, 3}) {
        EXPECT_EQ(results[rank], "shared-memory all-reduce number 51: rank 2 did not arrive within 2s");
      }
      EXPECT_EQ(results[2], "signal 9");  // the test kills a stopped rank
    }
  }
}

TEST(SharedMemoryAllReduceTest, AllThatAreLostAreNamed) {
  const auto results = RunForkedRanks(3, [](const ForkedRank& rank) {
    SharedMemoryAllReduceOptions options = SmallOptions(rank);
    options.timeout = absl::Milliseconds(100);
    const auto ranks = SharedMemoryAllReduce::Open(options);
    float one = 1;
    return rank.rank == 1 ? std::string((*ranks)->AllReduceSum(&one, 1, SumType::kFloat).message()) : "gone";
  });
  EXPECT_EQ(results[1], "shared-memory all-reduce number 1: ranks 0, 2 did not arrive within 100ms");
}

TEST(SharedMemoryAllReduceTest, DifferentCallsAreRefused) {
  const auto results = RunForkedRanks(2, [](const ForkedRank& rank) {
    const auto ranks = SharedMemoryAllReduce::Open(SmallOptions(rank));
    std::vector<float> data(100);
    const auto status = (*ranks)->AllReduceSum(data.data(), rank.rank == 0 ? 100 : 99, SumType::kFloat);
    return std::string(status.message());
  });
  EXPECT_EQ(
      results[0],
      "shared-memory all-reduce number 1: rank 1 called with another operation, type, root, buffer or number of bytes");
  EXPECT_THAT(results[1], HasSubstr("rank 0 called with another operation"));
}

TEST(SharedMemoryAllReduceTest, DifferentBuffersAreRefused) {
  EXPECT_THAT(RunForkedRanks(2,
                             [](const ForkedRank& rank) {
                               const auto ranks = SharedMemoryAllReduce::Open(SmallOptions(rank));
                               const auto first = (*ranks)->MakeBuffer(4096), second = (*ranks)->MakeBuffer(4096);
                               void* const data = (rank.rank == 0 ? *first : *second)->data();
                               return std::string((*ranks)->AllReduceSum(data, 1024, SumType::kFloat).message());
                             }),
              Each(HasSubstr("called with another operation, type, root, buffer or number of bytes")));
}

TEST(SharedMemoryAllReduceTest, ARootThatIsNoRankIsRefused) {
  EXPECT_THAT(RunForkedRanks(2,
                             [](const ForkedRank& rank) {
                               const auto ranks = SharedMemoryAllReduce::Open(SmallOptions(rank));
                               return std::string((*ranks)->Broadcast(nullptr, 0, 2).message());
                             }),
              Each("expected a root below 2, found 2"));
}

TEST(SharedMemoryAllReduceTest, DifferentChunksAreRefusedByAll) {
  EXPECT_THAT(RunForkedRanks(2,
                             [](const ForkedRank& rank) {
                               SharedMemoryAllReduceOptions options = SmallOptions(rank);
                               options.chunk_bytes = rank.rank == 0 ? 1024 : 2048;
                               return std::string(SharedMemoryAllReduce::Open(options).status().message());
                             }),
              Each(HasSubstr("the ranks cannot share memory: rank 1 of 2 needs ")));
}

}  // namespace
}  // namespace lockstep
