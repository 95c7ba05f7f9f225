// Where the time of DataParallel's steps goes, and what they move, counted at the copies.
#ifndef LOCKSTEP_LIB_DIST_DATA_PARALLEL_TIMES_H_
#define LOCKSTEP_LIB_DIST_DATA_PARALLEL_TIMES_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "lib/dist/time_mark.h"

namespace lockstep {

// Sums over steps. The seconds are device 0's: without gaps in this order, from the batch on device 0 to the update. A
// part that others take part in ends when the slowest of them has. A step whose batch is one part has forward, loss,
// backward and update.
struct DataParallelTimes {
  uint32_t steps = 0;
  double scatter_seconds = 0;    // the batch's parts to the other devices
  double replicate_seconds = 0;  // parameters and buffers to them
  double forward_seconds = 0;
  double gather_seconds = 0;           // outputs to device 0
  double loss_seconds = 0;             // and its gradient
  double output_gradient_seconds = 0;  // the outputs' gradients to the other devices
  double backward_seconds = 0;
  double reduce_seconds = 0;  // the parameters' gradients to device 0, and their sum
  double update_seconds = 0;

  uint64_t scatter_bytes = 0;  // images; labels stay on device 0
  uint64_t replicate_bytes = 0;
  uint64_t gather_bytes = 0;
  uint64_t output_gradient_bytes = 0;
  uint64_t reduce_bytes = 0;

  uint64_t SentBytes() const { return scatter_bytes + replicate_bytes + output_gradient_bytes; }  // by device 0
  uint64_t ReceivedBytes() const { return gather_bytes + reduce_bytes; }                          // by device 0
};

// Cuts steps into those parts by marks on device 0, and never waits within one.
class DataParallelClock {
 public:
  explicit DataParallelClock(c10::Device device) : device_(device) {}

  // A step begins. What lies between steps is no part's.
  void Start() { marks_.emplace_back(nullptr, TimeMark::Here(device_)); }

  // What lies between the mark before and here was `part`, such as &DataParallelTimes::scatter_seconds.
  void End(double DataParallelTimes::*part) { marks_.emplace_back(part, TimeMark::Here(device_)); }

  // Waits for the device, adds the parts to `times`, and begins anew.
  void AddTo(DataParallelTimes& times);

 private:
  const c10::Device device_;
  std::vector<std::pair<double DataParallelTimes::*, TimeMark>> marks_;  // null: a step's start
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_DATA_PARALLEL_TIMES_H_
