// Ranks for tests that run all ranks in one process on one GPU. Each rank has a stream, flags and an epoch. Test-only.
#ifndef LOCKSTEP_LIB_PEER_PEER_RANKS_TESTING_H_
#define LOCKSTEP_LIB_PEER_PEER_RANKS_TESTING_H_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/peer/peer_flags.h"

namespace lockstep::testing {

class PeerTestRank {
 public:
  // Makes a rank whose expired waits are reported as launch 1 + the awaited rank.
  PeerTestRank(uint32_t rank, uint32_t first_epoch)
      : epoch_(std::vector<uint32_t>{first_epoch}), given_up_(std::vector<uint32_t>{0}),
        memory_(std::vector<uint32_t>(kPeerFlagRows * kMaxPeerRanks, first_epoch - 1)) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    void* word = nullptr;
    EXPECT_EQ(cudaHostAlloc(&word, sizeof(uint32_t), cudaHostAllocMapped), cudaSuccess);
    expired_ = static_cast<uint32_t*>(word);
    *expired_ = 0;
    flags_.rank = rank;
    flags_.epoch = epoch_.data();
    flags_.given_up = given_up_.data();
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

  // Connects this rank to all ranks, given in their order, including this one.
  void Connect(const std::vector<PeerTestRank*>& all) {
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
  DeviceArray<uint32_t> epoch_, given_up_, memory_;
  PeerFlags flags_;
  cudaStream_t stream_ = nullptr;
  uint32_t* expired_ = nullptr;
};

// All ranks of a test, each a Rank (derived from PeerTestRank), with one captured step each.
template <typename Rank>
class ReplayedRanks {
 public:
  // made_of: constructor arguments of Rank after the rank number.
  template <typename... Args>
  explicit ReplayedRanks(uint32_t ranks, const Args&... made_of) {
    std::vector<PeerTestRank*> peers;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      all_.push_back(std::make_unique<Rank>(rank, made_of...));
      peers.push_back(all_.back().get());
    }
    for (const auto& rank : all_) {
      rank->Connect(peers);
    }
  }

  const std::vector<std::unique_ptr<Rank>>& all() const { return all_; }
  Rank& operator[](size_t rank) { return *all_[rank]; }

  // Captures one step per rank. step(rank) must queue the step on the rank's stream and return a status.
  template <typename Step>
  absl::Status Capture(const Step& step) {
    for (const auto& rank : all_) {
      absl::StatusOr<CapturedGraph> graph = CaptureGraph(rank->stream(), [&] { return step(*rank); });
      if (!graph.ok()) {
        return graph.status();
      }
      graphs_.push_back(*std::move(graph));
    }
    return absl::OkStatus();
  }

  // Replays the step of every rank once and waits for all of them.
  absl::Status Replay() {
    for (size_t rank = 0; rank < all_.size(); ++rank) {
      const absl::Status status =
          CudaStatus(cudaGraphLaunch(graphs_[rank].get(), all_[rank]->stream()), "replaying a step");
      if (!status.ok()) {
        return status;
      }
    }
    return CudaStatus(cudaDeviceSynchronize(), "replaying a step");
  }

 private:
  std::vector<std::unique_ptr<Rank>> all_;
  std::vector<CapturedGraph> graphs_;
};

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_PEER_PEER_RANKS_TESTING_H_
