// Ends a process without the destructors of static objects, which take LibTorch's tools 0.13 s of 0.5.
#ifndef LOCKSTEP_LIB_BASE_QUICK_END_H_
#define LOCKSTEP_LIB_BASE_QUICK_END_H_

namespace lockstep {

// For the first line of main. When the process ends by std::exit or by main's return, functions given to std::atexit after
// this call still run, streams are flushed, and then it is gone: no static object that was made before is destroyed. The
// exit code stays. Does nothing where a profiler or a preloaded library is in the process (LD_PRELOAD or
// CUDA_INJECTION64_PATH is set), because these may write their results from a destructor.
void SkipStaticDestructors();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_QUICK_END_H_
