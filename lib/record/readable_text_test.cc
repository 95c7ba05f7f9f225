#include "lib/record/readable_text.h"

#include <string>

#include "gtest/gtest.h"
#include "lib/proto/dataset.pb.h"
#include "lib/proto/header.pb.h"

namespace lockstep {
namespace {

TEST(ReadableTextTest, Utf8StaysAsItIs) {
  proto::Header header;
  header.set_schema("caf\xC3\xA9");
  header.add_input()->set_path("\xE2\x82\xAC");
  const std::string before = header.SerializeAsString();
  EXPECT_TRUE(HasReadableText(header));
  MakeTextReadable(header);
  EXPECT_EQ(header.SerializeAsString(), before);
}

TEST(ReadableTextTest, OtherBytesAreShownWhereverTheyStand) {
  proto::Header header;
  header.add_command_line("--input=caf\xE9");              // Latin-1
  header.add_input()->set_path("\xED\xA0\x80");            // half a surrogate pair
  (*header.mutable_environment())["NCCL_X"] = "\xC0\xAF";  // '/' in two bytes
  EXPECT_FALSE(HasReadableText(header));
  MakeTextReadable(header);
  EXPECT_TRUE(HasReadableText(header));
  EXPECT_EQ(header.command_line(0), "--input=caf\\xe9");
  EXPECT_EQ(header.input(0).path(), "\\xed\\xa0\\x80");
  EXPECT_EQ(header.environment().at("NCCL_X"), "\\xc0\\xaf");
  proto::Header again;
  EXPECT_TRUE(again.ParseFromString(header.SerializeAsString()));
}

TEST(ReadableTextTest, PixelsAreNoText) {
  proto::DatasetRecord record;
  record.mutable_chunk()->set_pixels("\xFF\xFE");
  EXPECT_TRUE(HasReadableText(record));
  MakeTextReadable(record);
  EXPECT_EQ(record.chunk().pixels(), "\xFF\xFE");
}

}  // namespace
}  // namespace lockstep
