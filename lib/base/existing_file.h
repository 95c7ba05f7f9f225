// Answers about the file at a path that need no error: if there is no such file, the answer is no. Links are followed,
// and no function waits for the writer of a FIFO.
#ifndef LOCKSTEP_LIB_BASE_EXISTING_FILE_H_
#define LOCKSTEP_LIB_BASE_EXISTING_FILE_H_

#include <cstddef>
#include <string>

namespace lockstep {

// Returns true if `path` is a regular file.
bool IsRegularFile(const std::string& path);

// Returns true if `path` is a regular file with at least one byte.
bool HasBytes(const std::string& path);

// Returns true if both paths lead to the same file or folder, whatever their spelling; false if one leads nowhere.
bool IsSameFile(const std::string& a, const std::string& b);

// Returns the first bytes of the file at `path`, at most `size`; fewer if the file is shorter or cannot be read.
std::string StartOfFile(const std::string& path, size_t size);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_EXISTING_FILE_H_
