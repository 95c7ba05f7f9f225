// Times of the phases of DataParallel's steps, and the bytes they copy, counted at the copies.
#ifndef LOCKSTEP_LIB_DATA_PARALLEL_DATA_PARALLEL_TIMES_H_
#define LOCKSTEP_LIB_DATA_PARALLEL_DATA_PARALLEL_TIMES_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/communicator/timestamp.h"

namespace lockstep {

// Sums over steps. The seconds are measured on device 0, without gaps in this order, from the batch on device 0 to the
// update. A phase on several devices ends when the slowest device ends it. A step whose batch is one part has only
// forward, loss, backward and update.
struct DataParallelTimes {
  uint32_t steps = 0;
  double scatter_seconds = 0;    // copies of the batch's parts to the other devices
  double replicate_seconds = 0;  // copies of parameters and buffers to the other devices
  double forward_seconds = 0;
  double gather_seconds = 0;           // copies of the outputs to device 0
  double loss_seconds = 0;             // loss and its gradient
  double output_gradient_seconds = 0;  // copies of the outputs' gradients to the other devices
  double backward_seconds = 0;
  double reduce_seconds = 0;  // copies of the parameters' gradients to device 0, and their sum
  double update_seconds = 0;

  uint64_t scatter_bytes = 0;  // images; labels stay on device 0
  uint64_t replicate_bytes = 0;
  uint64_t gather_bytes = 0;
  uint64_t output_gradient_bytes = 0;
  uint64_t reduce_bytes = 0;

  // Return the bytes sent and received by device 0.
  uint64_t SentBytes() const { return scatter_bytes + replicate_bytes + output_gradient_bytes; }
  uint64_t ReceivedBytes() const { return gather_bytes + reduce_bytes; }
};

// Divides steps into these phases by timestamps on device 0. Never waits within a step.
class DataParallelClock {
 public:
  explicit DataParallelClock(c10::Device device) : device_(device) {}

  // Begins a step. The time between steps belongs to no phase.
  void Start() { timestamps_.emplace_back(nullptr, Timestamp::Here(device_)); }

  // Assigns the time since the previous timestamp to `part`, such as &DataParallelTimes::scatter_seconds.
  void End(double DataParallelTimes::*part) { timestamps_.emplace_back(part, Timestamp::Here(device_)); }

  // Adds the phases to `times` and clears the timestamps. Waits for the device.
  void AddTo(DataParallelTimes& times);

 private:
  const c10::Device device_;
  std::vector<std::pair<double DataParallelTimes::*, Timestamp>>
      timestamps_;  // phase and its end; null: start of a step
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATA_PARALLEL_DATA_PARALLEL_TIMES_H_
