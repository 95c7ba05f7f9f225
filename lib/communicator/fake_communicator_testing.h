// Communicator for tests without other ranks: a sum is this rank's own value.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_FAKE_COMMUNICATOR_TESTING_H_
#define LOCKSTEP_LIB_COMMUNICATOR_FAKE_COMMUNICATOR_TESTING_H_

#include <memory>

#include "lib/communicator/communicator.h"

namespace lockstep::testing {

// A completed collective.
class Done : public Collective {
 public:
  absl::Status Wait() override { return absl::OkStatus(); }
  Timestamp begin() const override { return Timestamp::Now(); }
  Timestamp end() const override { return Timestamp::Now(); }
};

// Rank 0 of `size`. Counts the launched sums; the launch with the number `failing` fails (0: none fails).
class FakeCommunicator : public Communicator {
 public:
  FakeCommunicator(Store& store, int size, int failing) : Communicator(store, 0, size), failing_(failing) {}
  int launched() const { return launched_; }

  absl::string_view name() const override { return "fake"; }
  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor&) override {
    if (++launched_ == failing_) {
      return absl::UnavailableError("the cable is cut");
    }
    return std::shared_ptr<Collective>(std::make_shared<Done>());
  }
  absl::Status Broadcast(const at::Tensor&, int) override { return absl::OkStatus(); }

 private:
  const int failing_;
  int launched_ = 0;
};

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_COMMUNICATOR_FAKE_COMMUNICATOR_TESTING_H_
