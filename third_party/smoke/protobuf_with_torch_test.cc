// LibTorch contains its own protobuf. A record must parse, and print by reflection, after LibTorch has been initialised
// in the same process. Our copy is static and hidden, so that the two do not interact.

#include <ATen/core/Tensor.h>
#include <ATen/ops/ones.h>

#include <string>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "third_party/smoke/clash.pb.h"

namespace lockstep::smoke {
namespace {

TEST(ProtobufWithTorchTest, RecordParsesAfterLibTorchIsInitialised) {
  const double sum = at::ones({2, 3}).sum().item<double>();
  Clash written;
  written.set_name("sum");
  written.add_values(sum);

  Clash read;
  ASSERT_TRUE(read.ParseFromString(written.SerializeAsString()));
  std::string text;
  ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(read, &text));
  EXPECT_EQ(text, "name: \"sum\"\nvalues: 6\n");
}

}  // namespace
}  // namespace lockstep::smoke
