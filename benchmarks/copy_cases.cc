#include "benchmarks/copy_cases.h"

#include <numeric>

#include "absl/strings/str_cat.h"
#include "benchmarks/collective_rows.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {
namespace {

constexpr int kSizeStep = 5;  // powers of two between sizes; large, because each size has one row per pair of ranks

// Copies this rank's slot of the data, `bytes` bytes, to the same place on rank `to`.
absl::Status SendSlot(const GpuBackends& backends, int to, size_t bytes, cudaStream_t stream) {
  const size_t begin = bytes * static_cast<size_t>(backends.rank());
  return CopyBetweenGpus(backends.peers()->shared_of(to) + begin, backends.peers()->shared() + begin, bytes, stream);
}

// Returns a case in whose data each rank has a slot of `bytes` bytes. The caller must set way, call and expected.
CollectiveCase CaseOfSlots(const GpuBackends& backends, size_t bytes) {
  CollectiveCase made;
  made.collective = kPeerToPeer;
  made.size_bytes = made.moved_bytes = bytes;
  made.memory = backends.data();
  made.count = bytes / backends.element_bytes() * static_cast<size_t>(backends.ranks());
  made.inputs = {{0, made.count}};
  return made;
}

// Adds the expected values of each slot: the terms of the rank that `source` returns for the slot.
template <typename Source>
void ExpectSlots(const GpuBackends& backends, const Source& source, CollectiveCase& made) {
  const size_t count = made.count / static_cast<size_t>(backends.ranks());
  for (const int slot : AllRanks(backends.ranks())) {
    made.expected.push_back({{count * static_cast<size_t>(slot), count}, {source(slot)}});
  }
}

// Returns a copy from one rank to another. The other ranks do nothing.
CollectiveCase OnePair(GpuBackends& backends, int from, int to, size_t bytes) {
  CollectiveCase made = CaseOfSlots(backends, bytes);
  made.way = absl::StrCat(from, "/", to);
  made.timed = from;
  const int rank = backends.rank();
  ExpectSlots(
      backends, [&](int slot) { return rank == to && slot == from ? from : rank; }, made);
  made.call = [&backends, from, to, bytes](const at::Tensor&, cudaStream_t stream) {
    return backends.rank() == from ? SendSlot(backends, to, bytes, stream) : backends.Idle(stream);
  };
  return made;
}

// Returns copies from each rank to all others, one after the other.
CollectiveCase AllPairs(GpuBackends& backends, size_t bytes) {
  CollectiveCase made = CaseOfSlots(backends, bytes);
  made.way = "all";
  made.moved_bytes = bytes * static_cast<size_t>(backends.ranks() - 1);
  ExpectSlots(
      backends, [](int slot) { return slot; }, made);
  made.call = [&backends, bytes](const at::Tensor&, cudaStream_t stream) -> absl::Status {
    for (int k = 1; k < backends.ranks(); ++k) {
      RETURN_IF_ERROR(SendSlot(backends, (backends.rank() + k) % backends.ranks(), bytes, stream));
    }
    return absl::OkStatus();
  };
  return made;
}

}  // namespace

std::vector<int> AllRanks(int ranks) {
  std::vector<int> all(static_cast<size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

absl::Status CopyBetweenGpus(uint8_t* to, const uint8_t* from, size_t bytes, cudaStream_t stream) {
  return CudaStatus(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copying to another GPU");
}

std::vector<CollectiveCase> CopyCases(GpuBackends& backends, size_t max_bytes) {
  std::vector<CollectiveCase> cases;
  if (backends.peers() == nullptr) {
    return cases;
  }
  const std::vector<int> all = AllRanks(backends.ranks());
  for (size_t bytes = kMinCollectiveBytes; bytes <= max_bytes / all.size(); bytes <<= kSizeStep) {
    for (const int from : all) {
      for (const int to : all) {
        if (from != to) {
          cases.push_back(OnePair(backends, from, to, bytes));
        }
      }
    }
    cases.push_back(AllPairs(backends, bytes));
  }
  return cases;
}

}  // namespace lockstep
