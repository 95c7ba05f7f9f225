// Calls, by name, of functions in a library that is opened at run time.
#ifndef LOCKSTEP_LIB_DEVICE_DRIVER_CALL_H_
#define LOCKSTEP_LIB_DEVICE_DRIVER_CALL_H_

#include <dlfcn.h>

namespace lockstep {

// Returns the function, or null if the library does not have it or is null. `T` must be the function's C type.
template <typename T>
T* Find(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<T*>(dlsym(library, name));
}

// Calls the function and returns its result, which is 0 for success in libcuda.so.1 and NVML. Returns -1 if the library
// does not have the function.
template <typename T, typename... Arguments>
int CallCode(void* library, const char* name, Arguments... arguments) {
  T* function = Find<T>(library, name);
  return function == nullptr ? -1 : function(arguments...);
}

// Returns true if the function exists and succeeds.
template <typename T, typename... Arguments>
bool Call(void* library, const char* name, Arguments... arguments) {
  return CallCode<T>(library, name, arguments...) == 0;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_DRIVER_CALL_H_
