// A communicator that counts what it is handed, whoever hands it.
#ifndef LOCKSTEP_LIB_DIST_COUNTED_COMMUNICATOR_H_
#define LOCKSTEP_LIB_DIST_COUNTED_COMMUNICATOR_H_

#include <memory>
#include <string>
#include <utility>

#include "lib/dist/communicator.h"
#include "lib/dist/traffic_count.h"

namespace lockstep {

class CountedCommunicator : public Communicator {
 public:
  CountedCommunicator(Store& store, std::unique_ptr<Communicator> inner)
      : Communicator(store, inner->rank(), inner->size()), inner_(std::move(inner)) {}

  // While it lives, what is sent is of this kind. Otherwise all-reduces are gradients, and
  // broadcasts buffers.
  class Kind {
   public:
    Kind(CountedCommunicator& owner, std::string kind) : owner_(owner) { owner_.kind_ = std::move(kind); }
    ~Kind() { owner_.kind_.clear(); }
    Kind(const Kind&) = delete;
    Kind& operator=(const Kind&) = delete;

   private:
    CountedCommunicator& owner_;
  };

  absl::string_view name() const override { return inner_->name(); }

  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor& flat) override {
    count_.Add(kind_.empty() ? kGradientTraffic : kind_, 1, flat.nbytes());
    return inner_->AllReduceSum(flat);
  }

  absl::Status Broadcast(const at::Tensor& flat, int root) override {
    count_.Add(kind_.empty() ? kBufferTraffic : kind_, 1, flat.nbytes());
    return inner_->Broadcast(flat, root);
  }

  absl::Status Health() const override { return inner_->Health(); }

  // For what is not to be counted, or counts itself.
  Communicator& inner() { return *inner_; }

  const TrafficCount& count() const { return count_; }

 private:
  const std::unique_ptr<Communicator> inner_;
  std::string kind_;
  TrafficCount count_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_COUNTED_COMMUNICATOR_H_
