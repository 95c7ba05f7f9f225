// Estimates how long the rest of a run of several points takes, from the points that ended.
#ifndef LOCKSTEP_LIB_DIST_TIME_LEFT_H_
#define LOCKSTEP_LIB_DIST_TIME_LEFT_H_

#include <cstdint>

namespace lockstep {

// Points differ in their number of epochs: the rows of an experiment train from 5 to 300. So the seconds of a point are
// those of its epochs, and a rest (starting processes, evaluating, probing), which is taken as equal for all points.
class TimeLeft {
 public:
  // Call once for each point that is to be measured, before the first Finish().
  void Expect(uint32_t epochs);

  // A point ended. `epoch_seconds`: the mean of its timed epochs; 0: none was timed, as out of memory.
  void Finish(uint32_t epochs, double epoch_seconds);

  // Seconds until the last point has ended, when the finished ones took `elapsed` seconds together; 0 after the last.
  // At least one point has ended.
  double Seconds(double elapsed) const;

 private:
  uint64_t points_left_ = 0;
  uint64_t epochs_left_ = 0;
  uint64_t points_done_ = 0;
  uint64_t timed_epochs_ = 0;
  double timed_seconds_ = 0;  // sum over timed_epochs_
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_TIME_LEFT_H_
