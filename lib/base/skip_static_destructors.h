// End of a process without the destructors of static objects. These take 0.13 s of 0.5 s in the tools that link
// LibTorch.
#ifndef LOCKSTEP_LIB_BASE_SKIP_STATIC_DESTRUCTORS_H_
#define LOCKSTEP_LIB_BASE_SKIP_STATIC_DESTRUCTORS_H_

namespace lockstep {

// Makes the process end without destroying the static objects that exist at this call. Must be the first line of main.
// When main returns or calls std::exit, functions given to std::atexit after this call still run, and streams are
// flushed; the exit code is kept. Does nothing if a profiler or another library is preloaded (LD_PRELOAD or
// CUDA_INJECTION64_PATH is set), because such a library may write its results in a destructor.
void SkipStaticDestructors();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_SKIP_STATIC_DESTRUCTORS_H_
