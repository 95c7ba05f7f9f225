// Random numbers next to tables of times or rates: hardly any of them may be found to follow, even in a column of one
// or two numbers. Also numbers that do follow, but have too few digits to exclude chance.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/audit/random_document_testing.h"
#include "lib/audit/small_document_testing.h"
#include "lib/published/printed_number.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A kind of number: its quantity, its number of decimals, and the range from which it is drawn.
struct Kind {
  proto::PublishedQuantity quantity;
  int decimals;
  double low;
  double high;
};

using Kinds = std::vector<Kind>;
const Kinds kQuotients = {{proto::EFFICIENCY_PERCENT, 0, 40, 110},
                          {proto::EFFICIENCY_PERCENT, 1, 40, 110},
                          {proto::SPEEDUP, 1, 0.8, 4},
                          {proto::SPEEDUP, 2, 0.8, 4}};
const Kinds kOthersOfTimes = {{proto::SPEEDUP_PERCENT, 0, 20, 300},     {proto::SPEEDUP_PERCENT, 1, 20, 300},
                              {proto::COMPUTE_SECONDS, 0, 10, 250},     {proto::COMPUTE_SECONDS, 1, 10, 250},
                              {proto::COMMUNICATION_SECONDS, 0, 1, 60}, {proto::COMMUNICATION_SECONDS, 1, 1, 60}};

const Kinds kRunsOfTimes = {{proto::RUN_SECONDS, 0, 100, 2500},
                            {proto::RUN_SECONDS, 1, 100, 2500},
                            {proto::IDEAL_EPOCH_SECONDS, 0, 10, 250},
                            {proto::IDEAL_EPOCH_SECONDS, 1, 10, 250}};
const Kinds kIdealsOfRates = {{proto::IDEAL_ITEMS_PER_SECOND, 0, 100, 2000},
                              {proto::IDEAL_ITEMS_PER_SECOND, 1, 100, 2000}};

// Places of a column's numbers. A column of K numbers has the first K places.
constexpr struct { uint32_t devices, batch; } kPlaces[] = {{2, 128}, {4, 128}, {2, 32}, {4, 32}, {2, 512}, {4, 512}};

// Adds times (or rates) of 1, 2 and 4 devices at three batches, which scale as real ones do.
void AddMeasured(proto::PublishedTable& table, proto::PublishedQuantity quantity, Random& random) {
  for (const uint32_t batch : {32, 128, 512}) {
    const double one = random.Between(50, 500);
    for (const uint32_t devices : {1, 2, 4}) {
      const double longer = random.Between(1, 1.3);
      const double value = quantity == proto::EPOCH_SECONDS ? one / devices * longer : one * devices / longer;
      Add(table, quantity, devices, batch, absl::StrFormat("%.2f", value));
    }
  }
}

// Returns a document with `tables` tables of times or rates, and with a column of `size` random numbers: in a table of
// its own, or in the last of these tables.
proto::PublishedTables RandomColumn(const Kind& kind, int size, int tables, proto::PublishedQuantity measured,
                                    bool own_table, Random& random) {
  proto::PublishedTables document;
  document.set_source("made up");
  document.mutable_claims()->set_epochs(10);
  for (int i = 0; i < tables; ++i) {
    proto::PublishedTable& table = *document.add_table();
    table.set_name(absl::StrCat("t", i));
    AddMeasured(table, measured, random);
  }
  if (own_table) {
    document.add_table()->set_name("x");
  }
  proto::PublishedTable& column = *document.mutable_table(document.table_size() - 1);
  for (int i = 0; i < size; ++i) {
    Add(column, kind.quantity, kPlaces[i].devices, kPlaces[i].batch,
        absl::StrFormat("%.*f", kind.decimals, random.Between(kind.low, kind.high)));
  }
  return document;
}

struct Count {
  int explained = 0;
  int all = 0;
};

void CountExplained(const proto::PublishedTables& document, proto::PublishedQuantity quantity, Count& count) {
  const std::vector<proto::AuditTable> tables = *Audit(document);
  for (const proto::AuditTable& table : tables) {
    for (const proto::AuditedValue& value : table.value()) {
      if (value.published().quantity() == quantity) {
        ++count.all;
        count.explained += value.finding() == proto::REPRODUCED || value.finding() == proto::AMBIGUOUS;
        EXPECT_THAT(value.sentence(), Not(HasSubstr("inf"))) << value.ShortDebugString();
        const PrintedNumber printed = *ParsePrintedNumber(value.published().as_printed());
        EXPECT_FALSE(value.finding() == proto::NOT_REPRODUCIBLE && value.has_nearest() &&
                     RoundsTo(value.nearest().value(), printed))
            << value.ShortDebugString();
      }
    }
  }
}

// Audits columns of 1, 2, 3 and 6 numbers next to 1, 2 and 4 tables, with 60 numbers of each sort.
void ExpectHardlyAnyExplained(const Kinds& kinds, proto::PublishedQuantity measured) {
  uint32_t seed = 0;
  for (const Kind& kind : kinds) {
    for (const int size : {1, 2, 3, 6}) {
      for (const int tables : {1, 2, 4}) {
        Count count;
        while (count.all < 60) {
          Random random(++seed);
          CountExplained(RandomColumn(kind, size, tables, measured, true, random), kind.quantity, count);
        }
        EXPECT_LE(20 * count.explained, count.all)
            << proto::PublishedQuantity_Name(kind.quantity) << ", " << kind.decimals << " decimals, " << size
            << " numbers, " << tables << " tables";
      }
    }
  }
}

TEST(AuditChanceTest, RandomQuotientsNextToTablesOfTimes) {
  ExpectHardlyAnyExplained(kQuotients, proto::EPOCH_SECONDS);
}
TEST(AuditChanceTest, RandomQuotientsNextToTablesOfRates) {
  ExpectHardlyAnyExplained(kQuotients, proto::ITEMS_PER_SECOND);
}
TEST(AuditChanceTest, RandomNumbersNextToTablesOfTimes) {
  ExpectHardlyAnyExplained(kOthersOfTimes, proto::EPOCH_SECONDS);
}

TEST(AuditChanceTest, RandomTimesOfRunsAndIdealTimes) { ExpectHardlyAnyExplained(kRunsOfTimes, proto::EPOCH_SECONDS); }
TEST(AuditChanceTest, RandomIdealRatesNextToTablesOfRates) {
  ExpectHardlyAnyExplained(kIdealsOfRates, proto::ITEMS_PER_SECOND);
}

// Next to times of the same table two digits are enough, so more numbers are explained: one formula gives a random
// number between 0.8 and 4 with one decimal in 3 % of cases.
TEST(AuditChanceTest, RandomQuotientsInATableOfTimes) {
  uint32_t seed = 10'000;
  for (const Kind& kind : kQuotients) {
    Count count;
    while (count.all < 600) {
      Random random(++seed);
      CountExplained(RandomColumn(kind, 1 + static_cast<int>(seed % 3), 3, proto::EPOCH_SECONDS, false, random),
                     kind.quantity, count);
    }
    EXPECT_LE(20 * count.explained, count.all)
        << proto::PublishedQuantity_Name(kind.quantity) << ", " << kind.decimals << " decimals";
  }
}

// Speed-ups computed from one table of several, printed with few digits: some cannot be distinguished from chance, and
// no speed-up may be called wrong.
TEST(AuditChanceTest, WhatFollowsRaisesNoAlarm) {
  int reproduced = 0, all = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    Random random(20'000 + seed);
    const int size = 1 + static_cast<int>(seed % 3), tables = 1 + static_cast<int>(seed % 4);
    proto::PublishedTables document =
        RandomColumn(kQuotients[2], size, tables, proto::EPOCH_SECONDS, seed % 5 > 0, random);
    const proto::PublishedTable& times = document.table(tables - 1);
    const auto time = [&](uint32_t devices, uint64_t batch) {
      const auto found = std::find_if(
          times.value().begin(), times.value().end(),
          [&](const proto::PublishedValue& value) { return value.devices() == devices && value.batch() == batch; });
      return std::stod(found->as_printed());
    };
    for (proto::PublishedValue& value : *document.mutable_table(document.table_size() - 1)->mutable_value()) {
      if (value.quantity() == proto::SPEEDUP) {
        value.set_as_printed(absl::StrFormat("%.*f", 1 + static_cast<int>(seed % 2),
                                             time(1, value.batch()) / time(value.devices(), value.batch())));
      }
    }
    for (const proto::AuditedValue& value : AuditOf(document, document.table(document.table_size() - 1).name())) {
      if (value.finding() != proto::GIVEN) {
        EXPECT_NE(value.finding(), proto::NOT_REPRODUCIBLE) << seed << ": " << value.ShortDebugString();
        EXPECT_THAT(value.flag(), IsEmpty()) << seed << ": " << value.ShortDebugString();
        ++all;
        reproduced += value.finding() != proto::COULD_BE_CHANCE;
      }
    }
  }
  EXPECT_EQ(all, 800);
  EXPECT_EQ(reproduced, 713);
}

// Returns times in four tables, and in a table of its own a speed-up made of the last table's times.
proto::PublishedTables OneSpeedup(const std::string& digits) {
  Random random(7);
  proto::PublishedTables document = RandomColumn({proto::SPEEDUP, 2, 1, 2}, 1, 4, proto::EPOCH_SECONDS, true, random);
  for (int t = 0; t < 4; ++t) {
    document.mutable_table(t)->mutable_value(3)->set_as_printed(absl::StrCat(100 + t, ".00"));
    document.mutable_table(t)->mutable_value(4)->set_as_printed(absl::StrCat(60 - 2 * t, ".50"));
  }
  document.mutable_table(4)->mutable_value(0)->set_as_printed(digits);
  return document;
}

TEST(AuditChanceTest, ANumberOfFewDigitsNextToSeveralTablesIsLeftOpen) {
  // 103 / 54.50 = 1.88991; 102 / 56.50 = 1.80531; 103 / 56.50 = 1.82301
  const auto few = AuditOf(OneSpeedup("1.9"), "x");
  EXPECT_EQ(few[0].finding(), proto::COULD_BE_CHANCE) << few[0].ShortDebugString();
  EXPECT_THAT(few[0].flag(), IsEmpty());
  EXPECT_THAT(few[0].reproduced_by(), IsEmpty());
  EXPECT_DOUBLE_EQ(few[0].nearest().value(), 103.0 / 54.5);
  EXPECT_THAT(few[0].sentence(),
              HasSubstr("T_1/T_N, times of t3 (from 103.00, 54.50), gives 1.88990826. But one of the"));
  EXPECT_THAT(few[0].sentence(), HasSubstr("so this could be chance"));
  const auto many = AuditOf(OneSpeedup("1.8899"), "x");
  EXPECT_EQ(many[0].finding(), proto::REPRODUCED) << many[0].ShortDebugString();
  const auto wrong = AuditOf(OneSpeedup("1.4"), "x");
  EXPECT_EQ(wrong[0].finding(), proto::NOT_REPRODUCIBLE) << wrong[0].ShortDebugString();
}

TEST(AuditChanceTest, TwoDigitsNextToTheOnlyTimesAreEnough) {
  proto::PublishedTables document = OneSpeedup("1.9");
  document.mutable_table()->DeleteSubrange(0, 3);
  EXPECT_EQ(AuditOf(document, "x")[0].finding(), proto::COULD_BE_CHANCE);  // 1 of 19; inputs in another table
  document.mutable_table(1)->mutable_value(0)->set_as_printed("2");        // 1 of 2
  EXPECT_EQ(AuditOf(document, "x")[0].finding(), proto::COULD_BE_CHANCE);
  *document.mutable_table(0)->add_value() = document.table(1).value(0);
  document.mutable_table()->RemoveLast();
  const auto one_digit = AuditOf(document, "t3");
  EXPECT_EQ(one_digit.back().finding(), proto::COULD_BE_CHANCE) << one_digit.back().ShortDebugString();
  document.mutable_table(0)->mutable_value(9)->set_as_printed("1.9");
  const auto two_digits = AuditOf(document, "t3");
  EXPECT_EQ(two_digits.back().finding(), proto::REPRODUCED) << two_digits.back().ShortDebugString();
}

TEST(AuditChanceTest, TheNumbersOwnTableComesFirst) {
  proto::PublishedTables document = OneSpeedup("1.82");
  // 103 / 56.50 = 1.8230 uses times of t3 and t2; 101.9 / 56 = 1.8196 uses times of the number's own table.
  proto::PublishedTable& own = *document.mutable_table(4);
  Add(own, proto::EPOCH_SECONDS, 1, 128, "101.90");
  Add(own, proto::EPOCH_SECONDS, 2, 128, "56.00");
  const auto audited = AuditOf(document, "x");
  EXPECT_EQ(audited[0].finding(), proto::REPRODUCED) << audited[0].ShortDebugString();
  EXPECT_EQ(audited[0].reproduced_by(0).convention(), "T_1/T_N, times of x");
}

TEST(AuditChanceTest, AValueIsNotDividedByItself) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("s");
  for (const uint32_t batch : kBatches) {
    Add(table, proto::SPEEDUP, 2, batch, "1.0000");  // T_2/T_2
  }
  for (const proto::AuditedValue& value : AuditOf(document, "s")) {
    EXPECT_EQ(value.finding(), proto::NOT_REPRODUCIBLE) << value.ShortDebugString();
  }
}

// A number is not divided by its repetition either.
TEST(AuditChanceTest, AValueIsNotDividedByItsRepetition) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& again = *document.add_table();
  again.set_name("again");
  for (const uint32_t batch : kBatches) {
    Add(again, proto::EPOCH_SECONDS, 2, batch, absl::StrFormat("%.3f", T(2, batch)));
  }
  for (proto::PublishedValue& value : *again.mutable_value()) {
    value.set_restated(true);
  }
  proto::PublishedTable& table = *document.add_table();
  table.set_name("s");
  for (const uint32_t batch : kBatches) {
    Add(table, proto::SPEEDUP, 2, batch, "1.0000");
  }
  for (const proto::AuditedValue& value : AuditOf(document, "s")) {
    EXPECT_EQ(value.finding(), proto::NOT_REPRODUCIBLE) << value.ShortDebugString();
  }
}

TEST(AuditChanceTest, TheBaseCaseIsWhatItIs) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("s");
  Add(table, proto::SPEEDUP, 1, 128, "1.00");
  Add(table, proto::EFFICIENCY_PERCENT, 1, 128, "100");
  const auto audited = AuditOf(document, "s");
  EXPECT_THAT(audited[0].sentence(), "The base case itself.");
  EXPECT_THAT(audited[1].sentence(), "The base case itself.");
  proto::PublishedTables rates;
  rates.set_source("made up");
  rates.add_table()->set_name("rates");
  Add(*rates.mutable_table(0), proto::ITEMS_PER_SECOND, 1, 32, "90");
  Add(*rates.mutable_table(0), proto::SPEEDUP, 1, 32, "0.98");
  const auto wrong = AuditOf(rates, "rates");
  EXPECT_EQ(wrong[1].finding(), proto::NOT_REPRODUCIBLE) << wrong[1].ShortDebugString();
  EXPECT_THAT(wrong[1].sentence(), "It is its own base case, for which it would be 1.");
}

// The communication time of one device is T_1 - T_1 = 0, and no number is a multiple of 0.
TEST(AuditChanceTest, NoNumberIsAMultipleOfZero) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("c");
  Add(table, proto::COMMUNICATION_SECONDS, 1, 32, "0.5");
  const auto audited = AuditOf(document, "c");
  EXPECT_EQ(audited[0].finding(), proto::NOT_REPRODUCIBLE);
  EXPECT_EQ(audited[0].nearest().ratio(), 0);
  EXPECT_THAT(audited[0].sentence(), Not(HasSubstr("times that")));
}

// 70,000.4 is not 70,000.1, although the quotient of the two is 1 in four digits.
TEST(AuditChanceTest, AQuotientOfUnlikeNumbersIsNotOne) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("c");
  document.mutable_table(0)->mutable_value(0)->set_as_printed("140000.2");
  Add(table, proto::COMPUTE_SECONDS, 2, 32, "70000.4");
  Add(table, proto::COMPUTE_SECONDS, 2, 128, "12.2285");
  const auto audited = AuditOf(document, "c");
  EXPECT_EQ(audited[0].finding(), proto::NOT_REPRODUCIBLE) << audited[0].ShortDebugString();
  EXPECT_THAT(audited[0].sentence(), HasSubstr("printed is 1.000004 times that"));
}

}  // namespace
}  // namespace lockstep::testing
