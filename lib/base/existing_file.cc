#include "lib/base/existing_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/owned_descriptor.h"

namespace lockstep {

bool IsRegularFile(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool HasBytes(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0;
}

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first, second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

std::string StartOfFile(const std::string& path, size_t size) {
  std::string start(size, '\0');
  size_t done = 0;
  const OwnedDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  for (ssize_t n = 1; file.get() >= 0 && done < size && n > 0;) {
    n = read(file.get(), &start[done], size - done);
    done += n > 0 ? static_cast<size_t>(n) : 0;
  }
  start.resize(done);
  return start;
}

}  // namespace lockstep
