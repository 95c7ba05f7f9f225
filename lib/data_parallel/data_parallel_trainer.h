// Epochs of torch.nn.DataParallel: one process, a thread for each device (data_parallel_model.h), LibTorch's autograd.
#ifndef LOCKSTEP_LIB_DATA_PARALLEL_DATA_PARALLEL_TRAINER_H_
#define LOCKSTEP_LIB_DATA_PARALLEL_DATA_PARALLEL_TRAINER_H_

#include <c10/core/Device.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/data_parallel/data_parallel_times.h"
#include "lib/train/epoch_trainer.h"

namespace lockstep {

class DataParallelTrainer : public EpochTrainer {
 public:
  // Returns the sums of the last epoch; zero before the first epoch. In EpochTimes, forward covers the phases from
  // scatter to loss, backward covers the rest up to the update, and a copy is that of the whole batch to device 0.
  virtual const DataParallelTimes& times() const = 0;
};

// Makes a trainer for `devices`. The input's batch_size is the total over all devices; its device must be devices[0],
// where the input's model is trained. The devices must be of one kind. On the CPU all are c10::kCPU, and each computes
// with the number of threads given to SetNumerics. A batch may leave devices without a part (scatter_gather.h). The
// state is that of an autograd trainer. InvalidArgument: unsupported options, or devices that do not fit.
// ResourceExhausted: a device has too little memory for a replica.
absl::StatusOr<std::unique_ptr<DataParallelTrainer>> MakeDataParallelTrainer(const TrainerInput& input,
                                                                             const std::vector<c10::Device>& devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATA_PARALLEL_DATA_PARALLEL_TRAINER_H_
