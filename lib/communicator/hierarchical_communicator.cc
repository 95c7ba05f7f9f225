#include "lib/communicator/hierarchical_communicator.h"

#include <ATen/ops/from_blob.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/host_identity.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/collective_queue.h"
#include "lib/communicator/gloo_ranks.h"
#include "lib/communicator/host_sums.h"
#include "lib/communicator/shared_memory_communicator.h"
#include "lib/communicator/transport_choice.h"
#include "lib/peer/gather_bytes.h"
#include "lib/peer/shared_memory_all_reduce.h"

namespace lockstep {
namespace {

GatherBytes GatherOverAll(Store& store, int rank, int size) {
  return [&store, rank, size](absl::string_view bytes) { return store.AllGather(rank, size, bytes); };
}

class HierarchicalCommunicator : public Communicator {
 public:
  HierarchicalCommunicator(Store& store, int rank, const HostTopology& hosts)
      : Communicator(store, rank, hosts.ranks()), hosts_(hosts), gather_(GatherOverAll(store, rank, hosts.ranks())) {}

  // Must be called once, before any operation.
  absl::Status Connect(Store& store, absl::Duration timeout) {
    const int host = hosts_.HostOf(rank()), index = hosts_.IndexOf(rank());
    SharedMemoryAllReduceOptions options;
    options.rank = index;
    options.names = hosts_.RanksOf(host);
    options.size = static_cast<int>(options.names.size());
    options.timeout = timeout;
    options.gather = [&store, host, options](absl::string_view bytes) {
      return store.AllGatherIn(absl::StrCat("host ", host), options.rank, options.size, bytes);
    };
    options.finish_share = [this](void* share, size_t count, SumType type) { return SumOverHosts(share, count, type); };
    absl::StatusOr<std::unique_ptr<SharedMemoryAllReduce>> local = SharedMemoryAllReduce::Open(options);
    RETURN_IF_ERROR(AgreeOnMemory(local.status()));
    local_ = *std::move(local);
    const std::string counterparts = absl::StrCat("ranks with index ", index);  // short, because it is part of keys
    ASSIGN_OR_RETURN(across_, ConnectByGloo(store, {host, hosts_.hosts(), timeout, counterparts}));
    return queue_.Start();
  }

  absl::string_view name() const override { return "hierarchical"; }

  // Allocates memory that the other ranks of the host can read, like SharedMemoryCommunicator. If one host cannot, no
  // host does, because the shares of a sum in place have other sizes.
  absl::StatusOr<at::Tensor> MakeFlat(int64_t elements, const at::TensorOptions& options) override {
    const auto agree = [this](const absl::Status& own) { return AgreeOnMemory(own); };
    ASSIGN_OR_RETURN(at::Tensor flat, MakeSharedFlat(queue_, *local_, elements, options, agree));
    if (!flat.defined()) {
      return Communicator::MakeFlat(elements, options);
    }
    return flat;
  }

  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) override {
    return QueueSum(queue_, *local_, flat);
  }

  // Broadcasts to the root's counterparts, and from each of them to the ranks of its host.
  absl::Status Broadcast(const at::Tensor& flat, int root) override {
    RETURN_IF_ERROR(CheckOnCpu(flat));
    if (root < 0 || root >= size()) {
      return absl::InvalidArgumentError(absl::StrCat("expected a root below ", size(), ", found ", root));
    }
    if (flat.nbytes() == 0) {
      return absl::OkStatus();
    }
    const auto work = [this, flat, root]() -> absl::Status {
      if (hosts_.IndexOf(rank()) == hosts_.IndexOf(root)) {
        const at::Tensor bytes = at::from_blob(flat.data_ptr(), {static_cast<int64_t>(flat.nbytes())}, at::kByte);
        RETURN_IF_ERROR(across_->Broadcast(bytes, hosts_.HostOf(root)));
      }
      return local_->Broadcast(flat.data_ptr(), flat.nbytes(), hosts_.IndexOf(root));
    };
    return queue_.Add(work)->Wait();
  }

 private:
  // Returns the first failure of any rank to share memory, the same on all ranks. Other errors are this rank's own and
  // end its run, so that no other rank waits for it.
  absl::Status AgreeOnMemory(const absl::Status& own) {
    return own.ok() || absl::IsFailedPrecondition(own) ? Agree(gather_, own) : own;
  }

  absl::Status SumOverHosts(void* share, size_t count, SumType type) {
    const at::Tensor numbers = at::from_blob(share, {static_cast<int64_t>(count)}, DtypeOf(type));
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> sum, across_->AllReduceSum(numbers));
    return sum->Wait();
  }

  const HostTopology hosts_;
  const GatherBytes gather_;
  std::unique_ptr<GlooRanks> across_;             // this rank and its counterparts, by host
  std::unique_ptr<SharedMemoryAllReduce> local_;  // ranks of this host, by index
  CollectiveQueue queue_;                         // destroyed before the members that its thread uses
};

}  // namespace

absl::StatusOr<HostTopology> GatherHosts(Store& store, int rank, int size) {
  ASSIGN_OR_RETURN(const std::vector<std::string> hosts, store.AllGather(rank, size, HostKey(ThisHost())));
  return HostTopology(hosts);
}

absl::StatusOr<std::unique_ptr<Communicator>> MakeHierarchicalCommunicator(Store& store, int rank,
                                                                           const HostTopology& hosts,
                                                                           absl::Duration timeout) {
  auto communicator = std::make_unique<HierarchicalCommunicator>(store, rank, hosts);
  RETURN_IF_ERROR(communicator->Connect(store, timeout));
  return std::unique_ptr<Communicator>(std::move(communicator));
}

absl::StatusOr<MadeCommunicator> MakeCpuCommunicator(Store& store, int rank, int size, absl::Duration timeout) {
  ASSIGN_OR_RETURN(const HostTopology hosts, GatherHosts(store, rank, size));
  const TransportChoice choice = ChooseTransport(hosts);
  absl::StatusOr<std::unique_ptr<Communicator>> made =
      choice.transport == Transport::kHierarchical   ? MakeHierarchicalCommunicator(store, rank, hosts, timeout)
      : choice.transport == Transport::kSharedMemory ? MakeSharedMemoryCommunicator(store, rank, size, timeout)
                                                     : MakeGlooCommunicator(store, rank, size, timeout);
  RETURN_IF_ERROR(made.status());
  return MadeCommunicator{*std::move(made), choice.why};
}

}  // namespace lockstep
