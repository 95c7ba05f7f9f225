// Reading and writing of whole files, for tests. Test-only.
#ifndef LOCKSTEP_LIB_TESTING_FILE_UTIL_H_
#define LOCKSTEP_LIB_TESTING_FILE_UTIL_H_

#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace lockstep::testing {

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  ASSERT_TRUE(file.flush().good()) << path;
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline bool FileExists(const std::string& path) { return std::ifstream(path).good(); }

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_TESTING_FILE_UTIL_H_
