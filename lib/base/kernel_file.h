// Files in which the kernel describes the machine and its processes (proc(5), sysfs(5)). A file that cannot be read
// counts as empty, because each caller has an answer for a kernel or a container without it.
#ifndef LOCKSTEP_LIB_BASE_KERNEL_FILE_H_
#define LOCKSTEP_LIB_BASE_KERNEL_FILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Returns the whole text. It is read to its end, because such a file shows no size.
std::string KernelFileText(const std::string& path);

// Returns the first line, without its end.
std::string KernelFileLine(const std::string& path);

// Returns the number of the first line "NAME NUMBER ..." with this name; nothing if there is no such line.
std::optional<uint64_t> KernelFileNumber(const std::string& path, absl::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_KERNEL_FILE_H_
