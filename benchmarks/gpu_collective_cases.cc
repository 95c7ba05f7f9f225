#include "benchmarks/gpu_collective_cases.h"

#include <cuda_bf16.h>

#include <memory>
#include <utility>

#include "benchmarks/collective_rows.h"
#include "benchmarks/copy_cases.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr size_t kGradientBytes = 44'695'848;  // gradient of ResNet-18 in fp32

struct PeerWay {
  const char* name;
  AllReduceWay way;
};
constexpr PeerWay kPeerWays[] = {{"one_shot", AllReduceWay::kOneShot},
                                 {"two_shots", AllReduceWay::kTwoShots},
                                 {"copies", AllReduceWay::kCopies},
                                 {"auto", AllReduceWay::kAuto}};

// Returns powers of two up to `max_bytes`, and the gradient's size.
std::vector<size_t> Sizes(size_t max_bytes) {
  std::vector<size_t> sizes;
  for (size_t bytes = kMinCollectiveBytes; bytes <= max_bytes; bytes *= 2) {
    sizes.push_back(bytes);
    if (bytes < kGradientBytes && kGradientBytes < 2 * bytes && kGradientBytes <= max_bytes) {
      sizes.push_back(kGradientBytes);
    }
  }
  return sizes;
}

// Builder of the cases of one collective. The cases keep a reference to `backends`.
class CaseBuilder {
 public:
  explicit CaseBuilder(GpuBackends& backends) : backends_(backends) {}

  void AddAllReduces(size_t bytes);
  void AddReduceScatters(size_t bytes);
  void AddAllGathers(size_t bytes);
  void AddBroadcasts(size_t bytes);

  std::vector<CollectiveCase> Take() { return std::move(cases_); }

 private:
  using Call = decltype(CollectiveCase::call);

  bool bf16() const { return backends_.tensor().dtype() == at::kBFloat16; }
  ShareRange ShareOfRank(size_t count, int rank) const {
    return ShareOf(count, backends_.element_bytes(), static_cast<uint32_t>(rank),
                   static_cast<uint32_t>(backends_.ranks()));
  }
  // Returns `bytes` cut to a size that `ranks` ranks can share in steps of 16 bytes, like nccl-tests.
  static size_t CutToShares(size_t bytes, int ranks) {
    const size_t step = kShareStepBytes * static_cast<size_t>(ranks);
    return bytes / step * step;
  }

  CollectiveCase OfBytes(const std::string& collective, size_t bytes, double bus_factor) const;
  void Add(CollectiveCase like, const char* way, Call call);
  void AddHierarchicalSums(const CollectiveCase& like);
  void AddPeerSums(const CollectiveCase& like);
  void AddWindowSum(CollectiveCase like);

  GpuBackends& backends_;
  std::vector<CollectiveCase> cases_;
};

// Returns a case of `bytes` bytes, all of which every rank contributes. The caller must set its way.
CollectiveCase CaseBuilder::OfBytes(const std::string& collective, size_t bytes, double bus_factor) const {
  CollectiveCase made;
  made.collective = collective;
  made.size_bytes = made.moved_bytes = bytes;
  made.bus_factor = bus_factor;
  made.memory = backends_.data();
  made.count = bytes / backends_.element_bytes();
  made.inputs = {{0, made.count}};
  return made;
}

void CaseBuilder::Add(CollectiveCase like, const char* way, Call call) {
  like.way = way;
  like.call = std::move(call);
  cases_.push_back(std::move(like));
}

// If the ranks are on several hosts, all ways have sizes that the ranks of a host can share.
void CaseBuilder::AddAllReduces(size_t bytes) {
  const int ranks = backends_.ranks();
  if (backends_.hierarchical() != nullptr) {
    bytes = CutToShares(bytes, static_cast<int>(backends_.hosts().RanksOf(0).size()));
  }
  CollectiveCase like = OfBytes("all_reduce", bytes, 2.0 * (ranks - 1) / ranks);
  like.expected = {{{0, like.count}, AllRanks(ranks)}};
  const auto over_nccl = [&nccl = backends_.nccl()](const at::Tensor& data, cudaStream_t) -> absl::Status {
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, nccl.AllReduceSum(data));
    return collective->Wait();
  };
  Add(like, "nccl", over_nccl);
  if (backends_.window() != nullptr) {
    AddWindowSum(like);
  }
  if (backends_.hierarchical() != nullptr) {
    AddHierarchicalSums(like);
  }
  if (backends_.peers() != nullptr) {
    AddPeerSums(like);
  }
}

void CaseBuilder::AddWindowSum(CollectiveCase like) {
  like.memory = backends_.window()->data();
  Add(like, "nccl_window",
      [this_group = backends_.window_group(), element = backends_.element()](const at::Tensor& data,
                                                                             cudaStream_t stream) {
        return this_group->AllReduceSum(data.data_ptr(), static_cast<size_t>(data.numel()), element.type, stream);
      });
}

void CaseBuilder::AddHierarchicalSums(const CollectiveCase& like) {
  HierarchicalSum* const sum = backends_.hierarchical();
  const SumElement element = backends_.element();
  const HostTopology& hosts = backends_.hosts();
  CollectiveCase among_counterparts = like;
  among_counterparts.bus_factor = 2.0 * (hosts.hosts() - 1) / hosts.hosts();
  among_counterparts.expected = {{{0, like.count}, hosts.CounterpartsOf(backends_.rank())}};
  Add(among_counterparts, kCounterparts, [sum, element](const at::Tensor& data, cudaStream_t stream) {
    return sum->AmongCounterparts(data.data_ptr(), static_cast<size_t>(data.numel()), element, stream);
  });
  Add(like, "hierarchical_nccl", [sum, element](const at::Tensor& data, cudaStream_t stream) {
    return sum->ByNccl(data.data_ptr(), static_cast<size_t>(data.numel()), element, stream);
  });
  if (sum->why_no_copies().empty()) {
    Add(like, "hierarchical_copies", [sum, element](const at::Tensor& data, cudaStream_t stream) {
      return sum->ByCopies(static_cast<size_t>(data.numel()), element, stream);
    });
  }
}

template <typename W>
absl::Status PeerSum(DeviceAllReduce& peers, AllReduceWay way, const at::Tensor& data, cudaStream_t stream) {
  W* const values = static_cast<W*>(data.data_ptr());
  return peers.Sum<W>(way, values, values, static_cast<size_t>(data.numel()), stream);
}

void CaseBuilder::AddPeerSums(const CollectiveCase& like) {
  DeviceAllReduce& peers = *backends_.peers();
  for (const PeerWay& way : kPeerWays) {
    if (like.count <= (bf16() ? peers.MaxCount<__nv_bfloat16>(way.way) : peers.MaxCount<float>(way.way))) {
      Add(like, way.name, [&peers, bf16 = bf16(), way = way.way](const at::Tensor& data, cudaStream_t stream) {
        return bf16 ? PeerSum<__nv_bfloat16>(peers, way, data, stream) : PeerSum<float>(peers, way, data, stream);
      });
    }
  }
}

template <typename W>
absl::Status PeerReduceScatter(DeviceAllReduce& peers, const ShareRange& own, const at::Tensor& data,
                               cudaStream_t stream) {
  W* const values = static_cast<W*>(data.data_ptr());
  return peers.ReduceScatter<W>(values, values + own.begin, static_cast<size_t>(data.numel()), stream);
}

void CaseBuilder::AddReduceScatters(size_t bytes) {
  const int ranks = backends_.ranks();
  CollectiveCase like = OfBytes("reduce_scatter", CutToShares(bytes, ranks), 1.0 * (ranks - 1) / ranks);
  if (like.count == 0) {
    return;
  }
  const ShareRange own = ShareOfRank(like.count, backends_.rank());
  like.expected = {{own, AllRanks(ranks)}};
  Add(like, "nccl",
      [&shares = backends_.shares()](const at::Tensor& data, cudaStream_t) { return shares.ReduceScatterSum(data); });
  if (DeviceAllReduce* const peers = backends_.peers(); peers != nullptr) {
    Add(like, "copies", [peers, own, bf16 = bf16()](const at::Tensor& data, cudaStream_t stream) {
      return bf16 ? PeerReduceScatter<__nv_bfloat16>(*peers, own, data, stream)
                  : PeerReduceScatter<float>(*peers, own, data, stream);
    });
  }
}

void CaseBuilder::AddAllGathers(size_t bytes) {
  const int ranks = backends_.ranks();
  CollectiveCase like = OfBytes("all_gather", CutToShares(bytes, ranks), 1.0 * (ranks - 1) / ranks);
  if (like.count == 0) {
    return;
  }
  for (const int rank : AllRanks(ranks)) {
    like.expected.push_back({ShareOfRank(like.count, rank), {rank}});
  }
  const ShareRange own = ShareOfRank(like.count, backends_.rank());
  like.inputs = {own};
  Add(like, "nccl",
      [&shares = backends_.shares()](const at::Tensor& data, cudaStream_t) { return shares.GatherShares(data); });
  if (DeviceAllReduce* const peers = backends_.peers(); peers != nullptr) {
    const size_t begin = own.begin * backends_.element_bytes();
    Add(like, "copies", [peers, begin](const at::Tensor& data, cudaStream_t stream) {
      uint8_t* const all = static_cast<uint8_t*>(data.data_ptr());
      return peers->AllGather(all + begin, all, data.nbytes(), stream);
    });
  }
}

// Broadcasts from the last rank, so that the timed rank waits for the data.
void CaseBuilder::AddBroadcasts(size_t bytes) {
  const int root = backends_.ranks() - 1;
  CollectiveCase like = OfBytes("broadcast", bytes, 1);
  like.expected = {{{0, like.count}, {root}}};
  if (backends_.rank() != root) {
    like.inputs.clear();
  }
  Add(like, "nccl",
      [&nccl = backends_.nccl(), root](const at::Tensor& data, cudaStream_t) { return nccl.Broadcast(data, root); });
  if (DeviceAllReduce* const peers = backends_.peers(); peers != nullptr) {
    Add(like, "copies", [peers, root](const at::Tensor& data, cudaStream_t stream) {
      return peers->Broadcast(data.data_ptr(), data.nbytes(), root, stream);
    });
  }
}

}  // namespace

std::vector<CollectiveCase> CasesOf(GpuBackends& backends, const std::string& collective, size_t max_bytes) {
  if (collective == kPeerToPeer) {
    return CopyCases(backends, max_bytes);
  }
  CaseBuilder builder(backends);
  for (const size_t bytes : Sizes(max_bytes)) {
    if (collective == "all_reduce") {
      builder.AddAllReduces(bytes);
    } else if (collective == "reduce_scatter") {
      builder.AddReduceScatters(bytes);
    } else if (collective == "all_gather") {
      builder.AddAllGathers(bytes);
    } else {
      builder.AddBroadcasts(bytes);
    }
  }
  return builder.Take();
}

}  // namespace lockstep
