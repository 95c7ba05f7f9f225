// Reads any text as a published table. An accepted table is audited number by number and printed; written as text and
// read again, it must be the same table.
#include "absl/status/statusor.h"
#include "google/protobuf/text_format.h"
#include "lib/audit/audit.h"
#include "lib/comm_model/summary.h"
#include "lib/published/published_tables.h"
#include "lib/testing/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  const absl::StatusOr<proto::PublishedTables> tables = ParsePublishedTables(Bytes(data, size), "tables.textproto");
  if (!tables.ok()) {
    CheckUserError(tables.status());
    return 0;
  }
  std::string text;
  FUZZ_CHECK(google::protobuf::TextFormat::PrintToString(*tables, &text));
  const absl::StatusOr<proto::PublishedTables> again = ParsePublishedTables(text, "again.textproto");
  FUZZ_CHECK(again.ok());
  std::string text_again;
  FUZZ_CHECK(google::protobuf::TextFormat::PrintToString(*again, &text_again));
  FUZZ_CHECK(text_again == text);

  const absl::StatusOr<std::vector<proto::AuditTable>> audit = Audit(*tables);
  if (!audit.ok()) {
    CheckUserError(audit.status());  // budget exceeded
    return 0;
  }
  const std::vector<proto::AuditTable>& audited = *audit;
  FUZZ_CHECK(audited.size() == static_cast<size_t>(tables->table_size()));
  std::vector<proto::CommModelRecord> records;
  for (size_t i = 0; i < audited.size(); ++i) {
    FUZZ_CHECK(audited[i].value_size() == tables->table(static_cast<int>(i)).value_size());
    for (const proto::AuditedValue& value : audited[i].value()) {
      FUZZ_CHECK(value.finding() != proto::FINDING_UNSPECIFIED);
      FUZZ_CHECK(!value.sentence().empty());
    }
    *records.emplace_back().mutable_audit() = audited[i];
  }
  FUZZ_CHECK(!SummaryText(records).empty());
  return 0;
}
