// Gradient exchange over several hosts. The network carries 1/G of the gradients of each of the G ranks of a host:
//
//   within the host    each rank gets the addends of its share (peer_exchange.cc) and adds them in fp32, in rank order,
//                      rounded once
//   between hosts      each rank all-reduces its share over NCCL with its counterparts, the ranks of the same index
//   within the host    a shared range: SGD updates the share and writes its weights to the ranks of the host. Any
//                      other range: each rank gives its share of the sum to the ranks of the host.
//
// Every element is summed by one rank per host, and NCCL gives all counterparts the same bits, so all ranks get the
// same bits. Counterparts hold the same shares. So their updates are equal, and shares are gathered within a host only.
//
// Streams of one range, in order; each arrow is an event, so that a step can be captured:
//
//   ready -> PeerExchange's sending stream: copies -> stream_: flags of the other ranks, addition -> NCCL's stream:
//   all-reduce -> then: the caller's SGD, or copies of the shares, flags, and copies out of the receive buffers
//
// stream_ never waits for NCCL, so the next range is added while NCCL sends this one. Flags have a time limit, and the
// NCCL communicator ends its kernels if a counterpart is lost, so every wait ends.
#include <ATen/ops/from_blob.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/follow_stream.h"
#include "lib/fused/addend_exchange.h"
#include "lib/kernels/rank_sum.h"
#include "lib/peer/gather_bytes.h"
#include "lib/reducer/counted_exchange.h"
#include "lib/reducer/host_place.h"
#include "lib/reducer/no_op_exchange.h"
#include "lib/reducer/peer_exchange.h"

namespace lockstep {
namespace {

class HierarchicalExchange : public CountedExchange, public AddendExchange {
 public:
  HierarchicalExchange(int ranks, const HierarchicalExchangeOptions& options)
      : ranks_(static_cast<uint32_t>(ranks)), options_(options), device_(options.peers.device) {}

  ~HierarchicalExchange() override {
    const c10::cuda::CUDAGuard guard(device_);
    if (stream_ != nullptr) {
      cudaStreamSynchronize(stream_);
      cudaStreamDestroy(stream_);
    }
    if (added_ != nullptr) {
      cudaEventDestroy(added_);
    }
  }

  absl::Status Init(Store& store, int rank, const HostTopology& hosts) {
    const c10::cuda::CUDAGuard guard(device_);
    const HostPlace place = HostPlaceOf(hosts, rank);
    absl::StatusOr<PeerExchangeParts> peers = JoinHost(store, place);
    RETURN_IF_ERROR(AgreeOnMemory(store, rank, place, peers.status()));
    peers_ = *std::move(peers);
    RETURN_IF_ERROR(MakeStream());
    if (hosts.hosts() == 1) {
      return absl::OkStatus();
    }
    NcclOptions across;
    across.device_index = device_.index();
    across.timeout = options_.peers.timeout;
    across.max_multiprocessors = options_.max_multiprocessors;
    across.group = place.counterpart_group;
    ASSIGN_OR_RETURN(across_, MakeNcclCommunicator(store, place.host, hosts.hosts(), across));
    return absl::OkStatus();
  }

  uint32_t ranks() const override { return ranks_; }
  CommunicationDtype communication_dtype() const override { return options_.peers.communication_dtype; }
  uint32_t max_multiprocessors() const override { return across_ == nullptr ? 0 : options_.max_multiprocessors; }

  AddendExchange* addend_exchange() override { return options_.peers.shares_update ? this : nullptr; }
  SharedUpdate* shared_update() override { return peers_.exchange->shared_update(); }

  absl::Status Sum(const RangeToSum& range) override {
    RETURN_IF_ERROR(SumShare(range).status());
    return peers_.shares->SpreadShares(range);
  }

  // The only addend is the sum over all ranks.
  absl::StatusOr<RangeSum> Gather(const RangeToSum& range) override {
    RangeSum sum;
    if (!range.sharable) {
      RETURN_IF_ERROR(Sum(range));
      return sum;
    }
    ASSIGN_OR_RETURN(sum.share, SumShare(range));
    sum.ranks = 1;
    sum.of_rank[0] = range.data;
    sum.shared = true;
    return sum;
  }

  // The update must follow the network, so one launch cannot do both.
  bool GathersTogether() const override { return false; }
  absl::StatusOr<PeerPush> GatherTogether(const RangeToSum&, const RangeToSum&) override {
    return absl::UnimplementedError("ranges go over the network one by one");
  }

  absl::Status EndStep(cudaStream_t stream) override {
    RETURN_IF_ERROR(peers_.exchange->EndStep(stream));
    CountStep();
    return absl::OkStatus();
  }

  absl::Status Health() const override {
    RETURN_IF_ERROR(peers_.exchange->Health());
    return across_ == nullptr ? absl::OkStatus() : across_->Health();
  }

 private:
  absl::StatusOr<PeerExchangeParts> JoinHost(Store& store, const HostPlace& place) const {
    PeerRanks ranks;
    ranks.rank = place.index;
    ranks.size = static_cast<int>(place.host_ranks.size());
    ranks.names = place.host_ranks;
    ranks.gather = [&store, place, size = ranks.size](absl::string_view bytes) {
      return store.AllGatherIn(place.host_group, place.index, size, bytes);
    };
    return MakePeerExchangeParts(ranks, options_.peers);
  }

  // Returns the first failure of any host to share memory, the same on all ranks. Other errors are this rank's own and
  // end its run, so that no other rank waits for it.
  absl::Status AgreeOnMemory(Store& store, int rank, const HostPlace& place, const absl::Status& own) const {
    if (!own.ok() && !absl::IsFailedPrecondition(own)) {
      return own;
    }
    const GatherBytes gather = [&](absl::string_view bytes) {
      return store.AllGather(rank, static_cast<int>(ranks_), bytes);
    };
    return Agree(gather, own.ok() ? own
                                  : absl::FailedPreconditionError(absl::StrCat("among the ranks of host ", place.host,
                                                                               " by index: ", own.message())));
  }

  absl::Status MakeStream() {
    int least = 0, greatest = 0;
    RETURN_IF_ERROR(CudaStatus(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking the GPU"));
    RETURN_IF_ERROR(CudaStatus(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "a stream"));
    return CudaStatus(cudaEventCreateWithFlags(&added_, cudaEventDisableTiming), "creating an event");
  }

  // Queues the sum of this rank's share over all ranks, in place of the share. Work queued on range.then finds the sum.
  absl::StatusOr<RankShare> SumShare(const RangeToSum& range) {
    CountSent(range);
    RangeToSum within_host = range;
    within_host.then = stream_;
    ASSIGN_OR_RETURN(const RangeSum addends, peers_.shares->GatherShare(within_host));
    RETURN_IF_ERROR(CudaStatus(
        range.type == CommunicationDtype::kBf16 ? Add<__nv_bfloat16>(range, addends) : Add<float>(range, addends),
        "adding gradients"));
    RETURN_IF_ERROR(SumOverHosts(range, addends.share));
    return addends.share;
  }

  template <typename W>
  cudaError_t Add(const RangeToSum& range, const RangeSum& addends) const {
    RankSumInput<W> input;
    input.count = addends.share.count;
    input.ranks = addends.ranks;
    for (uint32_t rank = 0; rank < addends.ranks; ++rank) {
      input.from[rank] = static_cast<const W*>(addends.of_rank[rank]) + addends.share.begin;
    }
    input.to = static_cast<W*>(range.data) + addends.share.begin;
    return RankSum(input, stream_, range.max_multiprocessors);
  }

  // A share is empty on all counterparts or on none.
  absl::Status SumOverHosts(const RangeToSum& range, const RankShare& share) {
    if (across_ == nullptr || share.count == 0) {
      return FollowStream(added_, stream_, range.then);
    }
    const bool bf16 = range.type == CommunicationDtype::kBf16;
    const at::Tensor flat = at::from_blob(static_cast<uint8_t*>(range.data) + share.begin * BytesPerElement(range.type),
                                          {static_cast<int64_t>(share.count)},
                                          at::TensorOptions(device_).dtype(bf16 ? at::kBFloat16 : at::kFloat));
    std::shared_ptr<Collective> sum;
    {
      const c10::cuda::CUDAStreamGuard guard(StreamOf(stream_));
      ASSIGN_OR_RETURN(sum, across_->AllReduceSum(flat));
    }
    const c10::cuda::CUDAStreamGuard guard(StreamOf(range.then));
    return sum->Wait();
  }

  c10::cuda::CUDAStream StreamOf(cudaStream_t stream) const {
    return c10::cuda::getStreamFromExternal(stream, device_.index());
  }

  const uint32_t ranks_;  // ranks of all hosts
  const HierarchicalExchangeOptions options_;
  const c10::Device device_;
  PeerExchangeParts peers_;               // ranks of this host, by index
  std::unique_ptr<Communicator> across_;  // this rank and its counterparts, by host; null: there is one host
  cudaStream_t stream_ = nullptr;         // stream that adds the addends
  cudaEvent_t added_ = nullptr;
};

}  // namespace

absl::StatusOr<MadeExchange> MakeHierarchicalExchange(Store& store, int rank, const HostTopology& hosts,
                                                      const HierarchicalExchangeOptions& options) {
  RETURN_IF_ERROR(CheckHierarchical(hosts));
  if (!options.peers.sends) {
    return MakeNoOpExchange(static_cast<uint32_t>(hosts.IndexOf(rank)),
                            static_cast<uint32_t>(hosts.RanksOf(hosts.HostOf(rank)).size()), options.peers,
                            LastRanges::kApart);
  }
  auto exchange = std::make_shared<HierarchicalExchange>(hosts.ranks(), options);
  RETURN_IF_ERROR(exchange->Init(store, rank, hosts));
  RETURN_IF_ERROR(exchange->CheckSums(rank, options.peers.device));
  return MadeExchange{exchange, exchange.get()};
}

}  // namespace lockstep
