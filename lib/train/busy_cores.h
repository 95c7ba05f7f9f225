// Whether cores are free for the threads that a step on the CPU computes with, looked at before the first point.
//
// A step's threads wait for each other many times. One that has no core holds all of them up for the length of a time
// slice. LeNet-5 at batch 32 on two cores that a compiler kept busy took 13.7 s an epoch of 2,048 images with two threads,
// and 0.61 s with one.
#ifndef LOCKSTEP_LIB_TRAIN_BUSY_CORES_H_
#define LOCKSTEP_LIB_TRAIN_BUSY_CORES_H_

#include <cstdint>
#include <string>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns a warning that names --threads if other processes leave fewer cores free than `threads`, as `neighbours` counted
// over a time in which this process did nothing; else nothing. One thread waits for no other.
std::string BusyCoresText(const proto::Neighbours& neighbours, uint32_t threads);

// The same of the machine as it is now. Looks for a third of a second where `threads` is above 1.
std::string BusyCoresWarning(uint32_t threads);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_BUSY_CORES_H_
