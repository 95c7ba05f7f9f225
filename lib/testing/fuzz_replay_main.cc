// Main of a fuzz target in a normal build: runs the target over each file of its corpus, and over the empty input.
//
//   NAME_fuzz FOLDER|FILE ...
//
// A finding ends the process, as under libFuzzer; the last line then names the input. Exits with 1 if a folder is
// missing or has no file, because a test without inputs would always pass.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

// Returns the files at `path`, sorted; empty if there are none.
std::vector<std::string> Inputs(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return fs::is_regular_file(path, error) ? std::vector<std::string>{path} : std::vector<std::string>{};
  }
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool Run(const std::string& file) {
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad() || !stream.is_open()) {
    std::fprintf(stderr, "%s: cannot be read\n", file.c_str());
    return false;
  }
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER|FILE ...\n", argv[0]);
    return 2;
  }
  std::printf("the empty input\n");
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(nullptr, 0);
  size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    const std::vector<std::string> files = Inputs(argv[i]);
    if (files.empty()) {
      std::fprintf(stderr, "%s: expected inputs of the fuzz target, found none; add a file to its corpus\n", argv[i]);
      return 1;
    }
    for (const std::string& file : files) {
      if (!Run(file)) {
        return 1;
      }
    }
    count += files.size();
  }
  std::printf("%zu inputs, and the empty one\n", count);
  return 0;
}
