// The parts of a ProcessGroup that DistributedDataParallel uses.
#ifndef LOCKSTEP_LIB_DISTRIBUTED_DATA_PARALLEL_PROCESS_GROUP_STATE_H_
#define LOCKSTEP_LIB_DISTRIBUTED_DATA_PARALLEL_PROCESS_GROUP_STATE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/communicator/communicator.h"
#include "lib/distributed_data_parallel/distributed_data_parallel.h"
#include "lib/launch/launch_place.h"
#include "lib/launch/rank_store.h"

namespace lockstep {

struct ProcessGroupState {
  LaunchPlace place;
  torch::Device device = torch::kCPU;
  absl::Duration timeout;
  RankStore store;
  std::unique_ptr<Communicator> communicator;
  absl::Status failure;  // first error, which every later call returns

  // Joins the other ranks. Must be called once, before all other functions.
  absl::Status Join(const ProcessGroupOptions& options);

  // Returns `status`. Keeps the first error, and adds the remedy to the error of a lost rank.
  absl::Status Note(absl::Status status);

  // Gathers small byte strings in rank order.
  absl::StatusOr<std::vector<std::string>> Gather(absl::string_view bytes);

  // Waits until all ranks have called this function, 5 s at most. After an exception, only rank 0 waits, because it
  // hosts the store. No rank waits if a rank is lost.
  void Leave();

 private:
  absl::Status ChooseDevice(torch::Device asked);
  absl::Status CheckSameOptions(const ProcessGroupOptions& options);
  absl::Status MakeCommunicator(Backend backend);
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DISTRIBUTED_DATA_PARALLEL_PROCESS_GROUP_STATE_H_
