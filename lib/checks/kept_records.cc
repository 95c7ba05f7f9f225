#include "lib/checks/kept_records.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "absl/strings/match.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/framed_records.h"
#include "lib/record/old_field_names.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {
namespace {

// Returns an empty message of the header's schema, which comes before the schemas of its inputs.
std::unique_ptr<google::protobuf::Message> EmptyFile(const std::string& json) {
  const std::string schema = json.substr(json.find("lockstep.proto."), 30);
  if (absl::StartsWith(schema, "lockstep.proto.SweepFile")) {
    return std::make_unique<proto::SweepFile>();
  }
  if (absl::StartsWith(schema, "lockstep.proto.ScaleFile")) {
    return std::make_unique<proto::ScaleFile>();
  }
  return std::make_unique<proto::CommModelFile>();
}

}  // namespace

std::vector<std::string> KeptRecordPaths() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("benchmarks/results")) {
    if (entry.path().extension() == ".json") {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

LabRecords ReadKeptRecord(const std::string& path) {
  const std::string json = ReadFile(path);
  const std::unique_ptr<google::protobuf::Message> file = EmptyFile(json);
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(WithPresentFieldNames(json, *file->GetDescriptor()), file.get());
  EXPECT_TRUE(parsed.ok()) << path << ": " << parsed.ToString();
  const std::string record = TempPath("kept.rec");
  WriteFile(record, FramedRecords(*file));
  absl::StatusOr<LabRecords> lab = ReadLabRecords({record});
  EXPECT_TRUE(lab.ok()) << path << ": " << lab.status();
  return lab.ok() ? *std::move(lab) : LabRecords();
}

}  // namespace lockstep::testing
