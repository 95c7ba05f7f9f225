#include "lib/checks/kept_records_testing.h"

#include <algorithm>
#include <filesystem>

#include "gtest/gtest.h"

namespace lockstep::testing {

std::vector<std::string> KeptRecordPaths() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("benchmarks/results")) {
    if (entry.path().extension() == ".rec") {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

LabRecords ReadKeptRecord(const std::string& path) {
  absl::StatusOr<LabRecords> lab = ReadLabRecords({path});
  EXPECT_TRUE(lab.ok()) << path << ": " << lab.status();
  return lab.ok() ? *std::move(lab) : LabRecords();
}

}  // namespace lockstep::testing
