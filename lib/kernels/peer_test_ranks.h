// A rank of a test that has all its ranks in one process, on one GPU: a stream, flags and an epoch each. Test-only.
#ifndef LOCKSTEP_LIB_KERNELS_PEER_TEST_RANKS_H_
#define LOCKSTEP_LIB_KERNELS_PEER_TEST_RANKS_H_

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "lib/kernels/device_array.h"
#include "lib/kernels/peer_flags.h"

namespace lockstep {

class PeerTestRank {
 public:
  // A wait is reported as that for 1 + the rank.
  PeerTestRank(uint32_t rank, uint32_t first_epoch)
      : epoch_(std::vector<uint32_t>{first_epoch}),
        memory_(std::vector<uint32_t>(kPeerFlagRows * kMaxPeerRanks, first_epoch - 1)) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    void* word = nullptr;
    EXPECT_EQ(cudaHostAlloc(&word, sizeof(uint32_t), cudaHostAllocMapped), cudaSuccess);
    expired_ = static_cast<uint32_t*>(word);
    *expired_ = 0;
    flags_.rank = rank;
    flags_.epoch = epoch_.data();
    flags_.max_clock_turns = 0;
    for (uint32_t other = 0; other < kMaxPeerRanks; ++other) {
      flags_.report[other].expired = expired_;
      flags_.report[other].launch = 1 + other;
    }
  }
  ~PeerTestRank() {
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(expired_), cudaSuccess);
  }
  PeerTestRank(const PeerTestRank&) = delete;
  PeerTestRank& operator=(const PeerTestRank&) = delete;

  // All ranks, in their order; this is one of them.
  void Meet(const std::vector<PeerTestRank*>& all) {
    flags_.ranks = static_cast<uint32_t>(all.size());
    for (uint32_t other = 0; other < all.size(); ++other) {
      flags_.flags[other] = all[other]->memory_.data();
    }
  }

  const PeerFlags& flags() const { return flags_; }
  cudaStream_t stream() const { return stream_; }
  uint32_t expired() const { return *expired_; }
  uint32_t epoch() const { return epoch_.ToHost()[0]; }

 private:
  DeviceArray<uint32_t> epoch_, memory_;
  PeerFlags flags_;
  cudaStream_t stream_ = nullptr;
  uint32_t* expired_ = nullptr;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_PEER_TEST_RANKS_H_
