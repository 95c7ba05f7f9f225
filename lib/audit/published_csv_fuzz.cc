// Any text as a published table in CSV: an accepted text must pass the checks of the text format and must be audited.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/audit/audit.h"
#include "lib/published/published_check.h"
#include "lib/published/published_csv.h"
#include "lib/testing/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;           // NOLINT(build/namespaces)
  using namespace lockstep::testing;  // NOLINT(build/namespaces)
  const absl::string_view text = Bytes(data, size);
  if (const auto found = FindPublishedCsv(text, "tables.md"); !found.ok()) {
    CheckUserError(found.status());
  }
  const absl::StatusOr<proto::PublishedTables> tables = ParsePublishedCsv(text, "tables.csv");
  if (!tables.ok()) {
    CheckUserError(tables.status());
    return 0;
  }
  FUZZ_CHECK(CheckPublishedTables(*tables).ok());
  std::string bytes;
  FUZZ_CHECK(tables->SerializeToString(&bytes));
  proto::PublishedTables again;
  FUZZ_CHECK(again.ParseFromString(bytes));
  const absl::StatusOr<std::vector<proto::AuditTable>> audited = Audit(*tables);
  if (!audited.ok()) {
    CheckUserError(audited.status());  // the budget is used up
    return 0;
  }
  for (const proto::AuditTable& table : *audited) {
    for (const proto::AuditedValue& value : table.value()) {
      FUZZ_CHECK(value.finding() != proto::FINDING_UNSPECIFIED);
    }
  }
  return 0;
}
