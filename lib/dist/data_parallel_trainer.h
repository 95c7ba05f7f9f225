// Epochs of torch.nn.DataParallel: one process, a thread for each device (data_parallel_model.h), LibTorch's autograd.
#ifndef LOCKSTEP_LIB_DIST_DATA_PARALLEL_TRAINER_H_
#define LOCKSTEP_LIB_DIST_DATA_PARALLEL_TRAINER_H_

#include <c10/core/Device.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dist/data_parallel_times.h"
#include "lib/train/epoch_trainer.h"

namespace lockstep {

class DataParallelTrainer : public EpochTrainer {
 public:
  // The last epoch's sums; none before the first one. In EpochTimes, scatter to loss are forward, backward is all up to
  // the update, and a copy is that of the whole batch to device 0.
  virtual const DataParallelTimes& times() const = 0;
};

// The input's batch_size is that of all devices together; its device is devices[0], where the input's model is trained.
// Devices are of one kind; on the CPU all are c10::kCPU, and each computes with as many threads as SetNumerics was
// told. A batch may leave devices without a part (scatter_gather.h). The state is an autograd trainer's.
// InvalidArgument: what this trainer cannot do, or devices that do not fit. ResourceExhausted: a device has no room for
// a replica.
absl::StatusOr<std::unique_ptr<DataParallelTrainer>> MakeDataParallelTrainer(const TrainerInput& input,
                                                                             const std::vector<c10::Device>& devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_DATA_PARALLEL_TRAINER_H_
