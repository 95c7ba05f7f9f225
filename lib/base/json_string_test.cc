#include "lib/base/json_string.h"

#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Returns the string that protobuf's JSON parser reads from `json`.
std::string Parsed(const std::string& json) {
  google::protobuf::Value value;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(json, &value).ok()) << json;
  return value.string_value();
}

TEST(JsonStringTest, AParserReadsTheSameText) {
  for (const std::string text : {"", "a \"b\" \\ c", "a\n\t\x1B\x7F", "\u00E9\u202E\uFEFF", "\U000E0041"}) {
    EXPECT_EQ(Parsed(JsonString(text)), text);
  }
  EXPECT_EQ(Parsed(JsonString(std::string(1, '\0'))), std::string(1, '\0'));
}

TEST(JsonStringTest, NothingUnseenIsRaw) {
  EXPECT_EQ(JsonString("\x1B\x7F\u202E"), "\"\\u001b\\u007f\\u202e\"");
  EXPECT_EQ(JsonString("caf\xE9"), "\"caf\\\\xe9\"");
}

}  // namespace
}  // namespace lockstep
