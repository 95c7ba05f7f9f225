#include "benchmarks/hierarchical_sum.h"

#include <cuda_bf16.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/peer/gather_bytes.h"
#include "lib/peer/rank_share.h"

namespace lockstep {

std::string WhyNotHierarchical(const HostTopology& hosts) {
  if (hosts.hosts() == 1) {
    return "the ranks are on one host";
  }
  if (!hosts.IsUniform()) {
    return absl::StrCat("needs equally many ranks on each host, found ", hosts.Describe());
  }
  return hosts.RanksOf(0).size() < 2 ? "each host has one rank, so its sum is the flat one" : "";
}

absl::StatusOr<std::unique_ptr<HierarchicalSum>> HierarchicalSum::Make(Store& store, int rank,
                                                                       const HostTopology& hosts, size_t max_bytes,
                                                                       absl::Duration timeout) {
  const int host = hosts.HostOf(rank), index = hosts.IndexOf(rank);
  const int in_host = static_cast<int>(hosts.RanksOf(host).size());
  std::unique_ptr<HierarchicalSum> made(new HierarchicalSum);
  ASSIGN_OR_RETURN(made->in_host_, NcclGroup::Make(store, {absl::StrCat("nccl host ", host), index, in_host}, timeout));
  ASSIGN_OR_RETURN(made->counterparts_,
                   NcclGroup::Make(store, {absl::StrCat("nccl index ", index), host, hosts.hosts()}, timeout));
  DeviceAllReduceOptions options;
  options.rank = index;
  options.size = in_host;
  options.timeout = timeout;
  options.shared_bytes = max_bytes;
  options.max_one_shot_bytes = 4 << 10;  // only copies are used
  const GatherBytes in_this_host = [&](absl::string_view own) {
    return store.AllGatherIn(absl::StrCat("peers of host ", host), index, in_host, own);
  };
  absl::StatusOr<std::unique_ptr<DeviceAllReduce>> peers = DeviceAllReduce::Make(in_this_host, options);
  const absl::Status all =
      Agree([&](absl::string_view own) { return store.AllGather(rank, hosts.ranks(), own); }, peers.status());
  if (absl::IsFailedPrecondition(all)) {  // another host may share memory nevertheless
    made->why_no_copies_ = std::string(all.message());
    return made;
  }
  RETURN_IF_ERROR(all);
  made->peers_ = *std::move(peers);
  return made;
}

absl::Status HierarchicalSum::ByNccl(void* data, size_t count, SumElement element, cudaStream_t stream) {
  const size_t share = count / share_step();
  char* const own = static_cast<char*>(data) + share * element.bytes * static_cast<size_t>(in_host_->index());
  RETURN_IF_ERROR(in_host_->ReduceScatterSum(data, count, element.bytes, element.type, stream));
  RETURN_IF_ERROR(AmongCounterparts(own, share, element, stream));
  return in_host_->AllGather(data, count, element.bytes, element.type, stream);
}

absl::Status HierarchicalSum::ByCopies(size_t count, SumElement element, cudaStream_t stream) {
  return element.type == ncclBfloat16 ? SumByCopies<__nv_bfloat16>(count, element, stream)
                                      : SumByCopies<float>(count, element, stream);
}

template <typename W>
absl::Status HierarchicalSum::SumByCopies(size_t count, SumElement element, cudaStream_t stream) {
  W* const values = reinterpret_cast<W*>(shared());
  const ShareRange own =
      ShareOf(count, sizeof(W), static_cast<uint32_t>(in_host_->index()), static_cast<uint32_t>(in_host_->size()));
  RETURN_IF_ERROR(peers_->ReduceScatter<W>(values, values + own.begin, count, stream));
  RETURN_IF_ERROR(AmongCounterparts(values + own.begin, own.count, element, stream));
  return peers_->AllGather(values + own.begin, values, count * sizeof(W), stream);
}

}  // namespace lockstep
