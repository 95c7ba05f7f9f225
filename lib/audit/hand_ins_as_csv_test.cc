// The published hand-ins written as CSV and read again: both must give the same audit.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/published/published_tables.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;

constexpr char kColumns[] = "table,quantity,devices,batch_per_device,value,unit,as_printed\n";

std::string Quoted(const std::string& text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string OrEmpty(uint64_t number) { return number == 0 ? "" : absl::StrCat(number); }

void AppendParameters(const google::protobuf::Message& message, const std::string& prefix, std::string& csv) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = type.field(i);
    if (field->is_repeated()) {
      for (int k = 0; k < reflection.FieldSize(message, field); ++k) {
        absl::StrAppend(&csv, "# ", prefix, field->name(), " = ", reflection.GetRepeatedString(message, field, k),
                        "\n");
      }
      continue;
    }
    std::string value;
    google::protobuf::TextFormat::PrintFieldValueToString(message, field, -1, &value);
    if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING) {
      value = reflection.GetString(message, field);
    }
    if (!value.empty() && value != "0") {
      absl::StrAppend(&csv, "# ", prefix, field->name(), " = ", value, "\n");
    }
  }
}

std::string AsCsv(const proto::PublishedTables& tables) {
  std::string csv = absl::StrCat("# source = ", tables.source(), "\n# description = ", tables.description(), "\n");
  AppendParameters(tables.claims(), "", csv);
  AppendParameters(tables.facts(), "facts.", csv);
  absl::StrAppend(&csv, absl::StrReplaceAll(kColumns, {{"\n", ","}}),
                  "context,epoch,note,base_devices,base_batch,restated,read_off,loader_workers\n");
  for (const proto::PublishedTable& table : tables.table()) {
    for (const proto::PublishedValue& v : table.value()) {
      const std::string fields[] = {Quoted(table.name()),
                                    proto::PublishedQuantity_Name(v.quantity()),
                                    OrEmpty(v.devices()),
                                    OrEmpty(v.batch()),
                                    v.as_printed(),
                                    "",
                                    v.as_printed(),
                                    Quoted(v.context()),
                                    OrEmpty(v.epoch()),
                                    Quoted(v.note()),
                                    OrEmpty(v.base_devices()),
                                    OrEmpty(v.base_batch()),
                                    v.restated() ? "true" : "",
                                    v.read_off() ? "1" : "0",
                                    table.has_loader_workers() ? absl::StrCat(table.loader_workers()) : ""};
      absl::StrAppend(&csv, absl::StrJoin(fields, ","), "\r\n");
    }
  }
  return csv;
}

TEST(HandInsAsCsvTest, AHandInAsCsvGivesTheSameAudit) {
  for (const char* name : {"hand_in_000", "hand_in_001", "hand_in_002", "hand_in_003", "hand_in_004"}) {
    SCOPED_TRACE(name);
    const auto text = ReadPublishedTables(absl::StrCat("data/published/", name, ".textproto"));
    ASSERT_THAT(text, IsOk());
    const std::string path = TempPath(absl::StrCat(name, ".csv"));
    WriteFile(path, AsCsv(text->tables));
    const auto csv = ReadPublishedTables(path);
    ASSERT_THAT(csv, IsOk());
    const auto expected = *Audit(text->tables), found = *Audit(csv->tables);
    ASSERT_EQ(expected.size(), found.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(expected[i].DebugString(), found[i].DebugString());
    }
  }
}

}  // namespace
}  // namespace lockstep
