#include "lib/peer/peer_update.h"

#include <memory>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/kernels/rank_sum.h"
#include "lib/kernels/values_testing.h"
#include "lib/peer/peer_ranks_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::PeerTestRank;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::ReplayedRanks;
using ::lockstep::testing::SameBits;

constexpr uint32_t kEndRow = 0, kPushRow = 1;
constexpr float kRate = 0.1f;
constexpr uint32_t kBlocksOfAll = 96;  // all resident at once on one GPU

// Parameters with their state, and the gradients of one step.
template <typename G>
struct Arrays {
  explicit Arrays(size_t count) : gradient(RandomValues<G>(1, count)), parameter(count), velocity(count), copy(count) {}

  std::vector<G> gradient;
  std::vector<float> parameter, velocity;
  std::vector<__nv_bfloat16> copy;
};

template <typename G>
struct DeviceArrays {
  explicit DeviceArrays(const Arrays<G>& host)
      : count(host.gradient.size()), gradient(host.gradient), parameter(host.parameter), velocity(host.velocity),
        copy(host.copy), slots(std::vector<PeerPacket>(kMaxPeerRanks * Packets(), NothingCome())) {}

  size_t Packets() const { return PacketsOf(count * sizeof(G)); }

  SgdInput<G> Input(const float* rate, uint32_t ranks, bool with_copy) {
    SgdInput<G> input = {count,
                         gradient.data(),
                         rate,
                         0.9f,
                         5e-4f,
                         parameter.data(),
                         velocity.data(),
                         with_copy ? copy.data() : nullptr};
    input.gradient_scale = 1.0f / static_cast<float>(ranks);
    return input;
  }

  const size_t count;
  DeviceArray<G> gradient;
  DeviceArray<float> parameter, velocity;
  DeviceArray<__nv_bfloat16> copy;
  DeviceArray<PeerPacket> slots;  // consecutive sections, one for each rank's gradient
};

template <typename G>
class Rank : public PeerTestRank {
 public:
  Rank(uint32_t rank, size_t weights, size_t batch_norms)
      : PeerTestRank(rank, 1), weights_(Arrays<G>(weights)), batch_norms_(Arrays<float>(batch_norms)),
        rate_(std::vector<float>{kRate}), done_(std::vector<uint32_t>{0}), step_(std::vector<uint32_t>{0}),
        timestamps_(2) {}

  absl::Status Step(const std::vector<std::unique_ptr<Rank>>& all) {
    PeerPush push;
    push.flags = flags();
    push.row = kPushRow;
    push.done = done_.data();
    push.weights.each = weights_.Packets();
    push.batch_norms.each = batch_norms_.Packets();
    for (uint32_t rank = 0; rank < all.size(); ++rank) {
      push.weights.of[rank] = all[rank]->weights_.slots.data();
      push.batch_norms.of[rank] = all[rank]->batch_norms_.slots.data();
    }
    PeerUpdateInput<G> input;
    input.weights = weights_.Input(rate_.data(), flags().ranks, true);
    input.batch_norms = batch_norms_.Input(rate_.data(), flags().ranks, false);
    input.arrival = {step_.data(), {timestamps_.data(), 1, 2}, 1, {1}};
    EXPECT_EQ(AwaitPeerFlags(flags(), kEndRow, 1, stream()), cudaSuccess);
    EXPECT_EQ(PeerUpdate(push, input, stream(), kBlocksOfAll / flags().ranks), cudaSuccess);
    EXPECT_EQ(RaisePeerFlags(flags(), kEndRow, PeerEpoch::kNext, stream()), cudaSuccess);
    return absl::OkStatus();
  }

  template <typename V>
  static void Set(DeviceArray<V>& to, const std::vector<V>& values) {
    EXPECT_EQ(CopyToDevice(to.data(), values.data(), values.size() * sizeof(V)), cudaSuccess);
  }

  DeviceArrays<G>& weights() { return weights_; }
  DeviceArrays<float>& batch_norms() { return batch_norms_; }
  std::vector<uint64_t> timestamps() { return timestamps_.ToHost(); }

 private:
  DeviceArrays<G> weights_;
  DeviceArrays<float> batch_norms_;
  DeviceArray<float> rate_;
  DeviceArray<uint32_t> done_, step_;
  DeviceArray<uint64_t> timestamps_;
};

// Computes one step of an array on the host: the sum of of_rank, then SGD.
template <typename G>
void StepOnHost(const std::vector<std::vector<G>>& of_rank, Arrays<G>& arrays, bool with_copy) {
  const size_t count = arrays.gradient.size();
  RankSumInput<G> sum;
  sum.count = count;
  sum.ranks = static_cast<uint32_t>(of_rank.size());
  for (uint32_t rank = 0; rank < sum.ranks; ++rank) {
    sum.from[rank] = of_rank[rank].data();
  }
  sum.to = arrays.gradient.data();
  RankSumReference(sum);
  SgdInput<G> input = {count,
                       arrays.gradient.data(),
                       &kRate,
                       0.9f,
                       5e-4f,
                       arrays.parameter.data(),
                       arrays.velocity.data(),
                       with_copy ? arrays.copy.data() : nullptr};
  input.gradient_scale = 1.0f / static_cast<float>(of_rank.size());
  SgdStepReference(input);
}

template <typename G>
void ExpectSame(DeviceArrays<G>& found, const Arrays<G>& expected) {
  EXPECT_TRUE(SameBits(found.parameter.ToHost(), expected.parameter));
  EXPECT_TRUE(SameBits(found.velocity.ToHost(), expected.velocity));
}

// Replays with different gradients: after each replay, every rank's parameters must equal the reference's, bit for bit.
template <typename G>
void ExpectRanksUpdateAlike(uint32_t ranks, size_t weights, size_t batch_norms, int replays) {
  ReplayedRanks<Rank<G>> all(ranks, weights, batch_norms);
  ASSERT_THAT(all.Capture([&](Rank<G>& rank) { return rank.Step(all.all()); }), IsOk());
  Arrays<G> expected_weights(weights);
  Arrays<float> expected_batch_norms(batch_norms);
  for (int replay = 0; replay < replays; ++replay) {
    std::vector<std::vector<G>> of_weights;
    std::vector<std::vector<float>> of_batch_norms;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      of_weights.push_back(RandomValues<G>(100 * replay + rank, weights));
      of_batch_norms.push_back(RandomValues<float>(100 * replay + 50 + rank, batch_norms));
      Rank<G>::Set(all[rank].weights().gradient, of_weights.back());
      Rank<G>::Set(all[rank].batch_norms().gradient, of_batch_norms.back());
    }
    ASSERT_THAT(all.Replay(), IsOk());
    StepOnHost(of_weights, expected_weights, true);
    StepOnHost(of_batch_norms, expected_batch_norms, false);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      ASSERT_EQ(all[rank].expired(), 0u);
      ExpectSame(all[rank].weights(), expected_weights);
      ExpectSame(all[rank].batch_norms(), expected_batch_norms);
      EXPECT_TRUE(SameBits(all[rank].weights().copy.ToHost(), expected_weights.copy));
      const std::vector<uint64_t> timestamps = all[rank].timestamps();
      EXPECT_EQ(timestamps[0], ~uint64_t{0});  // initial value in DeviceArray
      EXPECT_NE(timestamps[1], ~uint64_t{0});
      ASSERT_FALSE(::testing::Test::HasFailure())
          << ranks << " ranks, " << weights << " and " << batch_norms << ", replay " << replay << ", rank " << rank;
    }
  }
}

class PeerUpdateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
  }
};

TEST_F(PeerUpdateTest, RanksHaveTheReferencesBits) {
  for (const uint32_t ranks : {1u, 2u, 3u, 4u, 8u}) {
    ExpectRanksUpdateAlike<__nv_bfloat16>(ranks, 1, 1, 3);
    ExpectRanksUpdateAlike<__nv_bfloat16>(ranks, 1731, 7, 3);
    ExpectRanksUpdateAlike<__nv_bfloat16>(ranks, 674'880, 9'610, 3);
    ExpectRanksUpdateAlike<float>(ranks, 100'003, 9'610, 3);
  }
}

TEST_F(PeerUpdateTest, AHundredReplays) { ExpectRanksUpdateAlike<__nv_bfloat16>(2, 100'003, 9'610, 100); }

// Rank 1 is never launched: rank 0's wait ends and reports rank 1.
TEST_F(PeerUpdateTest, ARankThatDoesNotComeIsReported) {
  ReplayedRanks<Rank<__nv_bfloat16>> all(2, 1000, 8);
  ASSERT_THAT(all[0].Step(all.all()), IsOk());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(all[0].expired(), 2u);
}

TEST(PeerUpdateArgumentsTest, WhatIsNotThereIsRefused) {
  PeerPush push;
  push.flags.ranks = 1;
  push.weights.each = push.batch_norms.each = 2;
  PeerUpdateInput<float> input;
  input.weights.count = input.batch_norms.count = 8;
  push.row = kPeerFlagRows;
  EXPECT_EQ(PeerUpdate(push, input, nullptr), cudaErrorInvalidValue);
  push.row = 0;
  input.weights.count = 9;
  EXPECT_EQ(PeerUpdate(push, input, nullptr), cudaErrorInvalidValue);
  input.weights.count = 8;
  input.batch_norms.ranks = 1;
  EXPECT_EQ(PeerUpdate(push, input, nullptr), cudaErrorInvalidValue);
  input.batch_norms.ranks = 0;
  input.arrival.columns = ArrivalTimestamps::kMaxColumns + 1;
  EXPECT_EQ(PeerUpdate(push, input, nullptr), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lockstep
