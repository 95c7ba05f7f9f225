// GCC 12's std::condition_variable::wait. If it is compiled by GCC 12 or newer, it is a symbol of GLIBCXX_3.4.30, which
// the libstdc++ of RHEL 9 lacks. Defined in the program, it is not imported.
//
// Source: libstdc++-v3/src/c++11/condition_variable.cc of GCC 12: a wait on the condition variable of
// <bits/std_mutex.h>.
#include <condition_variable>
#include <mutex>

#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 12
void std::condition_variable::wait(std::unique_lock<std::mutex>& lock) { _M_cond.wait(*lock.mutex()); }
#endif
