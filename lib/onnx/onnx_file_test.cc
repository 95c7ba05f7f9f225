#include "lib/onnx/onnx_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/onnx/export_onnx.h"
#include "lib/onnx/random_record_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::HasSubstr;

::onnx::ModelProto Model() {
  return ExportOnnx(testing::RandomRecord({}).Make("small", testing::SmallLayers()).value()).value();
}

TEST(OnnxFileTest, WhatIsWrittenIsRead) {
  const std::string path = TempPath("model.onnx");
  ASSERT_THAT(WriteOnnx(path, Model(), ReplaceAnything()), IsOk());
  const absl::StatusOr<OnnxFile> file = ReadOnnx(path);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->model.SerializeAsString(), Model().SerializeAsString());
  EXPECT_EQ(file->input.path(), path);
  EXPECT_EQ(file->input.sha256().size(), 64u);
  EXPECT_FALSE(testing::FileExists(path + ".part"));
}

TEST(OnnxFileTest, RefusesWhatIsNoModel) {
  const std::string path = TempPath("text.onnx");
  testing::WriteFile(path, "a letter");
  EXPECT_THAT(ReadOnnx(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected an ONNX model")));
  const std::string whole = Model().SerializeAsString();
  testing::WriteFile(path, whole.substr(0, whole.size() / 2));
  EXPECT_THAT(ReadOnnx(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("truncated")));
  EXPECT_THAT(ReadOnnx(TempPath("absent.onnx")), StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent.onnx")));
}

TEST(OnnxFileTest, RefusesWhatTakesMoreMemoryThanBytes) {
  const std::string path = TempPath("parts.onnx");
  ::onnx::ModelProto model = Model();
  for (int i = 0; i < 1'000'001; ++i) {
    model.mutable_graph()->add_node();
  }
  testing::WriteFile(path, model.SerializeAsString());
  EXPECT_THAT(ReadOnnx(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("of at most 1000000 nodes")));

  std::string unknown;
  for (int i = 0; i < 1'000'001; ++i) {
    unknown += "\x50\x01";  // field 10, the number 1
  }
  testing::WriteFile(path, unknown);
  EXPECT_THAT(ReadOnnx(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("of at most 1000000 nodes")));
}

TEST(OnnxFileTest, ReadsNoMoreThanItsLimit) {
  EXPECT_THAT(ReadOnnx("/dev/zero"), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected at most 67108864")));
}

}  // namespace
}  // namespace lockstep
