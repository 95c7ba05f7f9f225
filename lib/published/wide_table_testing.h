// Reading of tables from text in tests: printed tables of a made-up source, and their numbers as text.
#ifndef LOCKSTEP_LIB_PUBLISHED_WIDE_TABLE_TESTING_H_
#define LOCKSTEP_LIB_PUBLISHED_WIDE_TABLE_TESTING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/published_csv.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {

inline constexpr char kPrintedSource[] = "# source: Table 2 of a thesis\n";

// Reads a printed table. Its line 1 is that of the source.
inline absl::StatusOr<proto::PublishedTables> ReadPrinted(const std::string& text) {
  return ParsePublishedCsv(absl::StrCat(kPrintedSource, text), "a.csv");
}

// Returns the numbers as "QUANTITY N=2 B=32 16.16", in one line.
inline std::string PrintedNumbers(const std::string& text) {
  const auto tables = ReadPrinted(text);
  EXPECT_THAT(tables, IsOk()) << text;
  std::vector<std::string> numbers;
  if (tables.ok()) {
    for (const proto::PublishedTable& table : tables->table()) {
      for (const proto::PublishedValue& value : table.value()) {
        numbers.push_back(absl::StrCat(proto::PublishedQuantity_Name(value.quantity()), " N=", value.devices(),
                                       " B=", value.batch(), " ", value.as_printed()));
      }
    }
  }
  return absl::StrJoin(numbers, "; ");
}

// Expects DataLossError that begins with the place "a.csv" + `where` and contains `says`.
inline void ExpectPrintedFault(const std::string& text, const std::string& where, const std::string& says) {
  const std::string place = absl::StrCat("a.csv", where);
  EXPECT_THAT(
      ReadPrinted(text).status(),
      StatusIs(absl::StatusCode::kDataLoss, ::testing::AllOf(::testing::HasSubstr(place), ::testing::HasSubstr(says))))
      << text;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_PUBLISHED_WIDE_TABLE_TESTING_H_
