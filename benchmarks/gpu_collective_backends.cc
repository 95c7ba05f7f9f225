#include "benchmarks/gpu_collective_backends.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/hierarchical_communicator.h"
#include "lib/cuda/cuda_status.h"
#include "lib/device/device.h"

namespace lockstep {
namespace {

constexpr size_t kMaxPacketBytes = 64 << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<GpuBackends>> GpuBackends::Open(RankContext& context,
                                                               const GpuBackendsOptions& options) {
  std::unique_ptr<GpuBackends> backends(new GpuBackends(context));
  RETURN_IF_ERROR(backends->Init(options));
  return backends;
}

GpuBackends::~GpuBackends() = default;

absl::Status GpuBackends::Init(const GpuBackendsOptions& options) {
  ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice("cuda", context_.local_rank));
  RETURN_IF_ERROR(CudaStatus(cudaSetDevice(device.index()), "taking the GPU"));
  tensor_ = at::TensorOptions(device).dtype(options.bf16 ? at::kBFloat16 : at::kFloat);
  one_ = at::zeros({1}, tensor_.dtype(at::kFloat));
  ASSIGN_OR_RETURN(HostTopology hosts, GatherHosts(*context_.store, rank(), ranks()));
  hosts_ = std::make_unique<HostTopology>(std::move(hosts));
  ASSIGN_OR_RETURN(nccl_,
                   MakeNcclCommunicator(*context_.store, rank(), ranks(), {device.index(), context_.timeout, 0}));
  shares_ = dynamic_cast<ShareCollectives*>(nccl_.get());
  if (shares_ == nullptr) {
    return absl::InternalError("expected NCCL's communicator to have shares");
  }
  return hosts_->hosts() == 1 ? OpenOneHost(options) : OpenSeveralHosts(options);
}

absl::Status GpuBackends::OpenOneHost(const GpuBackendsOptions& options) {
  DeviceAllReduceOptions peers;
  peers.rank = rank();
  peers.size = ranks();
  peers.timeout = context_.timeout;
  peers.shared_bytes = options.max_bytes + kGuardBytes;
  peers.max_one_shot_bytes = std::min(options.max_bytes, kMaxPacketBytes);
  peers.crossovers = options.crossovers;
  ASSIGN_OR_RETURN(peers_, DeviceAllReduce::Make([&](absl::string_view own) { return nccl_->AllGather(own); }, peers));
  data_ = peers_->shared();
  return options.sums ? OpenWindow(options) : absl::OkStatus();
}

absl::Status GpuBackends::OpenWindow(const GpuBackendsOptions& options) {
  const std::string why_not = WhyNoNcclWindow(hosts_->hosts(), RanksPerGpu());
  if (!why_not.empty()) {
    left_out_.push_back(absl::StrCat("nccl_window: ", why_not));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(window_group_, NcclGroup::Make(*context_.store, {"nccl window", rank(), ranks()}, context_.timeout));
  ASSIGN_OR_RETURN(window_, NcclWindow::Make(*window_group_, options.max_bytes + kGuardBytes));
  return absl::OkStatus();
}

absl::Status GpuBackends::OpenSeveralHosts(const GpuBackendsOptions& options) {
  const std::string why_flat = WhyNotHierarchical(*hosts_);
  if (!why_flat.empty()) {
    left_out_.push_back(absl::StrCat("hierarchical_nccl, hierarchical_copies, counterparts: ", why_flat));
  } else if (options.sums) {
    ASSIGN_OR_RETURN(hierarchical_, HierarchicalSum::Make(*context_.store, rank(), *hosts_,
                                                          options.max_bytes + kGuardBytes, context_.timeout));
    data_ = hierarchical_->shared();
    if (data_ == nullptr) {
      left_out_.push_back(absl::StrCat("hierarchical_copies: ", hierarchical_->why_no_copies()));
    }
  }
  if (options.sums) {
    left_out_.push_back(absl::StrCat("nccl_window: ", WhyNoNcclWindow(hosts_->hosts(), RanksPerGpu())));
  }
  left_out_.push_back(
      absl::StrCat("one_shot, two_shots, copies, auto, peer_to_peer: need one host, found ", hosts_->Describe()));
  if (data_ == nullptr) {
    own_ = at::empty({static_cast<int64_t>(options.max_bytes + kGuardBytes)}, tensor_.dtype(at::kByte));
    data_ = own_.data_ptr<uint8_t>();
  }
  return absl::OkStatus();
}

SumElement GpuBackends::element() const {
  return tensor_.dtype() == at::kBFloat16 ? SumElement{ncclBfloat16, 2} : SumElement{ncclFloat32, 4};
}

absl::Status GpuBackends::Align() {
  if (peers_ != nullptr) {
    float* const one = one_.data_ptr<float>();
    return peers_->Sum(AllReduceWay::kOneShot, one, one, 1, c10::cuda::getCurrentCUDAStream().stream());
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<Collective> sum, nccl_->AllReduceSum(one_));
  return sum->Wait();
}

absl::Status GpuBackends::Idle(cudaStream_t stream) {
  return CudaStatus(cudaMemsetAsync(one_.data_ptr(), 0, sizeof(float), stream), "an operation without effect");
}

absl::Status GpuBackends::Health() const {
  RETURN_IF_ERROR(nccl_->Health());
  if (peers_ != nullptr) {
    return peers_->Health();
  }
  return hierarchical_ != nullptr ? hierarchical_->Health() : absl::OkStatus();
}

}  // namespace lockstep
