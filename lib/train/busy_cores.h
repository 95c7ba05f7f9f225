// Check before the first point that enough cores are free for the compute threads of a step on the CPU.
//
// A step's threads synchronize many times. A thread that has no core delays all others by a scheduler time slice.
// LeNet-5 at batch 32, on two cores that a compiler kept busy, took 13.7 s per epoch of 2,048 images with two threads,
// and 0.61 s with one.
#ifndef LOCKSTEP_LIB_TRAIN_BUSY_CORES_H_
#define LOCKSTEP_LIB_TRAIN_BUSY_CORES_H_

#include <cstdint>
#include <string>

#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Returns a warning that names --threads if other processes leave fewer free cores than `threads`, and an empty string
// otherwise. `neighbours` must have been measured while this process was idle. One thread needs no warning, because it
// waits for no other thread.
std::string BusyCoresText(const proto::Neighbours& neighbours, uint32_t threads);

// Measures the machine's current load and returns BusyCoresText. Takes a third of a second if `threads` is above 1.
std::string BusyCoresWarning(uint32_t threads);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_BUSY_CORES_H_
