// Functions of a library that is opened at run time, called by name.
#ifndef LOCKSTEP_LIB_DEVICE_DRIVER_CALL_H_
#define LOCKSTEP_LIB_DEVICE_DRIVER_CALL_H_

#include <dlfcn.h>

namespace lockstep {

// Null when the library has none of this name, or is null itself. `T` is the function's C type.
template <typename T>
T* Find(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<T*>(dlsym(library, name));
}

// What it returns: 0 is success in libcuda.so.1 and in NVML. -1 when the library has none of this name.
template <typename T, typename... Arguments>
int CallCode(void* library, const char* name, Arguments... arguments) {
  T* function = Find<T>(library, name);
  return function == nullptr ? -1 : function(arguments...);
}

// Whether it is there and succeeds.
template <typename T, typename... Arguments>
bool Call(void* library, const char* name, Arguments... arguments) {
  return CallCode<T>(library, name, arguments...) == 0;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DEVICE_DRIVER_CALL_H_
