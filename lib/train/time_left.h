// Estimates the remaining time of a run of several points from the finished points.
#ifndef LOCKSTEP_LIB_TRAIN_TIME_LEFT_H_
#define LOCKSTEP_LIB_TRAIN_TIME_LEFT_H_

#include <cstdint>

namespace lockstep {

// Points differ in their number of epochs: the rows of an experiment train from 5 to 300. So the time of a point is
// modelled as the time of its epochs plus a remainder (starting processes, evaluating, probing), which is assumed equal
// for all points.
class TimeLeft {
 public:
  // Must be called once for each point to be measured, before the first Finish().
  void Expect(uint32_t epochs);

  // Records the end of a point. `epoch_seconds`: mean of its timed epochs; 0: no epoch was timed, for example out of
  // memory.
  void Finish(uint32_t epochs, double epoch_seconds);

  // Returns the seconds until the last point ends; 0 after the last. `elapsed`: total seconds of the finished points.
  // At least one point must have ended.
  double Seconds(double elapsed) const;

  // Returns the seconds of all points after the next one, which has `epochs` epochs. Negative: unknown, since no point
  // has ended; 0: the next point is the last one.
  double SecondsAfterNext(uint32_t epochs, double elapsed) const;

 private:
  double RestSeconds(double elapsed) const;
  double EpochSeconds() const;

  uint64_t points_left_ = 0;
  uint64_t epochs_left_ = 0;
  uint64_t points_done_ = 0;
  uint64_t timed_epochs_ = 0;
  double timed_seconds_ = 0;  // sum over timed_epochs_
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_TIME_LEFT_H_
