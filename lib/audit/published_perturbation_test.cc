// Perturbs every number of data/published that the audit explains: a number that is 3 to 12 % off must hardly ever be
// explained. The test prints the counts of each file.
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/audit/random_document_testing.h"
#include "lib/published/printed_number.h"
#include "lib/published/published_check.h"
#include "lib/published/published_tables.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {
namespace {

constexpr uint32_t kSeeds = 3;
constexpr double kMinChange = 0.03, kMaxChange = 0.12;
constexpr double kMaxShare = 0.005;  // share of perturbed numbers that may be explained

bool IsExplained(const proto::AuditedValue& value) {
  return value.finding() == proto::REPRODUCED || value.finding() == proto::AMBIGUOUS;
}

// Returns `value` with the decimals of `digits`, or with those of its mantissa if it has a power of ten.
std::string PrintLike(absl::string_view digits, double value) {
  const size_t exponent = digits.find_first_of("eE");
  const absl::string_view mantissa = digits.substr(0, exponent);
  const size_t point = mantissa.find('.');
  const int decimals = point == absl::string_view::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  return exponent == absl::string_view::npos ? absl::StrFormat("%.*f", decimals, value)
                                             : absl::StrFormat("%.*e", decimals, value);
}

// Returns `digits` times a random factor, 3 to 12 % above or below 1.
std::string Perturbed(const std::string& digits, Random& random) {
  const double change = random.Between(kMinChange, kMaxChange), sign = random.Below(2) == 0 ? -1 : 1;
  return PrintLike(digits, ParsePrintedNumber(digits)->value * (1 + sign * change));
}

struct Count {
  int perturbed = 0;
  int explained = 0;
};

// Perturbed numbers by file, and examples of those that were explained, by convention.
struct Outcome {
  std::map<std::string, Count> files;
  std::map<std::string, std::vector<std::string>> examples;
};

// Audits `document` with number `i` of table `t` perturbed, and counts the result.
void TryOne(proto::PublishedTables document, int t, int i, Random& random, const std::string& file, Outcome& outcome) {
  proto::PublishedValue& value = *document.mutable_table(t)->mutable_value(i);
  const std::string old = value.as_printed();
  value.set_as_printed(Perturbed(old, random));
  if (ParsePrintedNumber(old)->value == ParsePrintedNumber(value.as_printed())->value) {
    return;  // too few digits for the change
  }
  Count& count = outcome.files[file];
  ++count.perturbed;
  if (!CheckPublishedTables(document).ok()) {
    return;  // the document is refused, so the change is noticed
  }
  const std::vector<proto::AuditTable> tables = *Audit(document);
  const proto::AuditedValue& audited = tables[t].value(i);
  if (IsExplained(audited)) {
    ++count.explained;
    outcome.examples[audited.reproduced_by(0).convention()].push_back(
        absl::StrCat(file, ", ", tables[t].table(), ", ", proto::PublishedQuantity_Name(value.quantity()),
                     " N=", value.devices(), " B=", value.batch(), ": ", old, " changed to ", value.as_printed(), " [",
                     absl::StrJoin(audited.flag(), ", "), "]"));
  }
}

void TryFile(const std::filesystem::path& path, Outcome& outcome) {
  const auto file = ReadPublishedTables(path.string());
  ASSERT_THAT(file, IsOk());
  const std::vector<proto::AuditTable> tables = *Audit(file->tables);
  const std::string name = path.filename().string();
  outcome.files[name] = {};
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    for (int t = 0; t < static_cast<int>(tables.size()); ++t) {
      for (int i = 0; i < tables[t].value_size(); ++i) {
        if (IsExplained(tables[t].value(i))) {
          TryOne(file->tables, t, i, random, name, outcome);
        }
      }
    }
  }
}

// Returns one line per convention, with the numbers that it explains.
std::string ExamplesOf(const Outcome& outcome) {
  std::string text;
  for (const auto& [convention, numbers] : outcome.examples) {
    absl::StrAppend(&text, numbers.size(), " by ", convention, "\n    ", absl::StrJoin(numbers, "\n    "), "\n");
  }
  return text;
}

TEST(PublishedPerturbationTest, HardlyAnyPerturbedNumberIsExplained) {
  Outcome outcome;
  for (const auto& entry : std::filesystem::directory_iterator("data/published")) {
    if (IsPublishedTable(entry.path().string())) {
      TryFile(entry.path(), outcome);
    }
  }
  Count all;
  for (const auto& [file, count] : outcome.files) {
    std::cout << file << ": " << count.explained << " of " << count.perturbed << " perturbed numbers are explained\n";
    all.explained += count.explained;
    all.perturbed += count.perturbed;
  }
  std::cout << "all files: " << all.explained << " of " << all.perturbed << "\n";
  EXPECT_GE(all.perturbed, 1000);
  EXPECT_LE(all.explained, kMaxShare * all.perturbed) << ExamplesOf(outcome);
}

TEST(PublishedPerturbationTest, APerturbedNumberKeepsItsDecimals) {
  EXPECT_EQ(PrintLike("2.21", 2.2988), "2.30");
  EXPECT_EQ(PrintLike("97", 91.4), "91");
  EXPECT_EQ(PrintLike("1.75e+10", 1.8123e10), "1.81e+10");
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double ratio = std::stod(Perturbed("1000.000", random)) / 1000;
    EXPECT_GE(std::abs(ratio - 1), 0.03 - 1e-6);
    EXPECT_LE(std::abs(ratio - 1), 0.12 + 1e-6);
  }
}

}  // namespace
}  // namespace lockstep::testing
