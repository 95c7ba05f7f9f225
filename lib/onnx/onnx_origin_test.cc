#include "lib/onnx/onnx_origin.h"

#include "absl/flags/flag.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/onnx/export_onnx.h"
#include "lib/onnx/onnx_file.h"
#include "lib/onnx/random_record_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

ABSL_FLAG(bool, per_channel, false, "");
ABSL_FLAG(std::string, output, "", "");

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr absl::StatusCode kUsage = absl::StatusCode::kInvalidArgument;

proto::Header HeaderOf(const std::string& flag, const std::string& input, const std::string& key) {
  proto::Header header;
  header.add_command_line("quantize");
  header.add_command_line(flag);
  header.add_input()->set_path(input);
  header.mutable_input(0)->set_sha256("digest of " + input);
  header.mutable_host()->set_kernel("Linux");
  header.add_device()->set_name("a CPU");
  (*header.mutable_environment())["OMP_NUM_THREADS"] = "2";
  header.set_cache_key(key);
  return header;
}

::onnx::ModelProto Model() {
  return ExportOnnx(testing::RandomRecord({}).Make("small", testing::SmallLayers()).value()).value();
}

absl::Status CheckMayReplaceOnnx(const std::string& path, const proto::Header& planned) {
  return ReplaceOwnOnnx(planned)({path}).status();
}

std::string WriteModelOf(const proto::Header& header) {
  const std::string path = TempPath("small.onnx");
  ::onnx::ModelProto model = Model();
  SetOrigin(header, model);
  EXPECT_THAT(WriteOnnx(path, model, ReplaceAnything()), IsOk());
  return path;
}

TEST(OnnxOriginTest, ACommandReplacesItsOwnModel) {
  const std::string path = WriteModelOf(HeaderOf("--per_channel", "a.pt", "key"));
  EXPECT_THAT(CheckMayReplaceOnnx(path, HeaderOf("--per_channel", "a.pt", "key")), IsOk());
  EXPECT_THAT(CheckMayReplaceOnnx(path, HeaderOf("--per_channel=true", "a.pt", "another build's key")), IsOk());
}

TEST(OnnxOriginTest, TheErrorNamesWhatDiffers) {
  const std::string path = WriteModelOf(HeaderOf("--per_channel", "a.pt", "key"));
  EXPECT_THAT(CheckMayReplaceOnnx(path, HeaderOf("--noper_channel", "a.pt", "other")),
              StatusIs(kUsage, AllOf(HasSubstr("small.onnx holds another result (--per_channel: true -> false); "),
                                     HasSubstr("--force"))));
  EXPECT_THAT(CheckMayReplaceOnnx(path, HeaderOf("--per_channel", "b.pt", "other")),
              StatusIs(kUsage, HasSubstr("(input: a.pt -> b.pt)")));
}

TEST(OnnxOriginTest, AFileWithoutOriginIsNotReplaced) {
  const std::string path = TempPath("theirs.onnx");
  ASSERT_THAT(WriteOnnx(path, Model(), ReplaceAnything()), IsOk());
  EXPECT_THAT(CheckMayReplaceOnnx(path, HeaderOf("", "a.pt", "key")),
              StatusIs(kUsage, HasSubstr("theirs.onnx: is an ONNX model without the command that made it; ")));
  WriteFile(path, "a letter");
  EXPECT_THAT(CheckMayReplaceOnnx(path, HeaderOf("", "a.pt", "key")),
              StatusIs(kUsage, AllOf(HasSubstr("would replace "), HasSubstr("expected an ONNX model"))));
}

TEST(OnnxOriginTest, WhereNothingIsNothingIsLost) {
  const proto::Header header = HeaderOf("", "a.pt", "key");
  EXPECT_THAT(CheckMayReplaceOnnx(TempPath("absent.onnx"), header), IsOk());
  const std::string empty = TempPath("empty.onnx");
  WriteFile(empty, "");
  EXPECT_THAT(CheckMayReplaceOnnx(empty, header), IsOk());
}

TEST(OnnxOriginTest, NothingOfTheMachineIsInTheFile) {
  ::onnx::ModelProto model = Model();
  SetOrigin(HeaderOf("--per_channel", "a.pt", "key"), model);
  EXPECT_THAT(model.SerializeAsString(), AllOf(HasSubstr("--per_channel"), ::testing::Not(HasSubstr("Linux"))));
}

}  // namespace
}  // namespace lockstep
