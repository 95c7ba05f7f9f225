// The only translation unit that includes LibTorch's ProcessGroupGloo.
#include <cstdlib>
#include <string>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/c10d_store.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/gloo_ranks.h"
#include "lib/launch/peer_status.h"
#include "lib/launch/tcp_address.h"

namespace lockstep {
namespace {

// The end is recorded by the thread that did the work, just before it wakes the waiting threads.
class GlooCollective : public Collective {
 public:
  GlooCollective(std::string what, c10::intrusive_ptr<c10d::Work> work)
      : what_(std::move(what)), work_(std::move(work)), end_(std::make_shared<Timestamp>()) {
    work_->getFuture()->addCallback([end = end_](c10::ivalue::Future&) { *end = Timestamp::Now(); });
  }

  absl::Status Wait() override {
    return CatchPeerErrors(what_, [&] { work_->wait(); });
  }

  // The begin is the launch. Two threads serve a communicator, so an operation is queued only while another is running.
  // Hence the union of [launch, end] over the operations equals the union of the times in which one ran.
  Timestamp begin() const override { return begin_; }
  Timestamp end() const override { return *end_; }

 private:
  const std::string what_;
  const Timestamp begin_ = Timestamp::Now();
  const c10::intrusive_ptr<c10d::Work> work_;
  const std::shared_ptr<Timestamp> end_;
};

class ConnectedRanks : public GlooRanks {
 public:
  ConnectedRanks(std::string group, c10::intrusive_ptr<c10d::ProcessGroupGloo> ranks)
      : group_(std::move(group)), ranks_(std::move(ranks)) {}

  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) override {
    return Start("all-reduce", flat, [&](std::vector<at::Tensor>& tensors) { return ranks_->allreduce(tensors); });
  }

  absl::Status Broadcast(const at::Tensor& flat, int root) override {
    c10d::BroadcastOptions options;
    options.rootRank = root;
    ASSIGN_OR_RETURN(std::shared_ptr<Collective> collective,
                     Start("broadcast", flat,
                           [&](std::vector<at::Tensor>& tensors) { return ranks_->broadcast(tensors, options); }));
    return collective->Wait();
  }

 private:
  template <typename Launch>
  absl::StatusOr<std::shared_ptr<Collective>> Start(absl::string_view operation, const at::Tensor& flat,
                                                    Launch&& launch) {
    const std::string what =
        absl::StrCat("gloo ", operation, " number ", ++count_, group_.empty() ? "" : " of ", group_);
    std::vector<at::Tensor> tensors = {flat};
    std::shared_ptr<Collective> collective;
    RETURN_IF_ERROR(
        CatchPeerErrors(what, [&] { collective = std::make_shared<GlooCollective>(what, launch(tensors)); }));
    return collective;
  }

  const std::string group_;
  const c10::intrusive_ptr<c10d::ProcessGroupGloo> ranks_;
  uint64_t count_ = 0;
};

class GlooCommunicator : public Communicator {
 public:
  GlooCommunicator(Store& store, int rank, int size, std::unique_ptr<GlooRanks> ranks)
      : Communicator(store, rank, size), ranks_(std::move(ranks)) {}

  absl::string_view name() const override { return "gloo"; }

  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) override {
    return ranks_->AllReduceSum(flat);
  }
  absl::Status Broadcast(const at::Tensor& flat, int root) override { return ranks_->Broadcast(flat, root); }

 private:
  const std::unique_ptr<GlooRanks> ranks_;
};

// Chooses the network devices on which Gloo listens. Gloo's connections are not authenticated. So if the store is on
// the loopback device, all ranks are on one host and listen on that device only, whatever GLOO_SOCKET_IFNAME is.
// Between hosts the variable names the devices, separated by commas, like in LibTorch's Python; if it is not set, Gloo
// uses the device that leads to the store's host.
absl::Status AddDevices(const Store& store, c10d::ProcessGroupGloo::Options& options) {
  if (IsLoopback(store.host())) {
    options.devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(store.host()));
    return absl::OkStatus();
  }
  const char* named = std::getenv("GLOO_SOCKET_IFNAME");
  if (named != nullptr && *named != '\0') {
    for (const absl::string_view name : absl::StrSplit(named, ',')) {
      options.devices.push_back(c10d::ProcessGroupGloo::createDeviceForInterface(std::string(name)));
    }
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::string address, AddressTowards(store.host(), store.port()));
  options.devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(address));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<GlooRanks>> ConnectByGloo(Store& store, const GlooOptions& wanted) {
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
  absl::Status devices;
  RETURN_IF_ERROR(CatchPeerErrors("gloo rendezvous", [&] {
    auto options = c10d::ProcessGroupGloo::Options::create(absl::ToChronoMilliseconds(wanted.timeout));
    devices = AddDevices(store, *options);
    if (!devices.ok()) {
      return;
    }
    c10::intrusive_ptr<c10d::Store> keys = MakeC10dStore(store);
    if (!wanted.group.empty()) {
      keys = c10::make_intrusive<c10d::PrefixStore>(absl::StrCat("gloo ", wanted.group), std::move(keys));
    }
    group = c10::make_intrusive<c10d::ProcessGroupGloo>(keys, wanted.index, wanted.size, options);
  }));
  RETURN_IF_ERROR(devices);
  return std::unique_ptr<GlooRanks>(std::make_unique<ConnectedRanks>(wanted.group, std::move(group)));
}

absl::StatusOr<std::unique_ptr<Communicator>> MakeGlooCommunicator(Store& store, int rank, int size,
                                                                   absl::Duration timeout) {
  ASSIGN_OR_RETURN(std::unique_ptr<GlooRanks> ranks, ConnectByGloo(store, {rank, size, timeout, ""}));
  return std::unique_ptr<Communicator>(std::make_unique<GlooCommunicator>(store, rank, size, std::move(ranks)));
}

}  // namespace lockstep
