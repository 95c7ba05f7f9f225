// Numbers of wide tables: units, digits, spreads.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/wide_table_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ExpectPrintedFault;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::PrintedNumbers;
using ::lockstep::testing::ReadPrinted;

TEST(WideTableNumbersTest, UnitsAreConvertedWithoutChangingADigit) {
  EXPECT_EQ(PrintedNumbers("# batch: 1\nGPUs,epoch time (ms)\n1,2500\n2,80.50\n"),
            "EPOCH_SECONDS N=1 B=1 2.500; EPOCH_SECONDS N=2 B=1 0.08050");
  EXPECT_EQ(PrintedNumbers("# batch: 1\nGPUs,epoch time [mm:ss]\n1,2:05\n2,1:02:05\n"),
            "EPOCH_SECONDS N=1 B=1 125; EPOCH_SECONDS N=2 B=1 3725");
  EXPECT_EQ(PrintedNumbers("# batch: 1\n# unit: 1\nGPUs,efficiency\n2,0.97\n4,0.9\n"),
            "EFFICIENCY_PERCENT N=2 B=1 97; EFFICIENCY_PERCENT N=4 B=1 9e1");
  EXPECT_EQ(PrintedNumbers("GPUs,accuracy (%)\n2,91.2\n"), "ACCURACY_PERCENT N=2 B=0 91.2");
  EXPECT_EQ(PrintedNumbers("# unit: 1\nGPUs,accuracy\n2,0.912\n"), "ACCURACY_FRACTION N=2 B=0 0.912");
  EXPECT_EQ(PrintedNumbers("# bytes_per_gigabyte: 1073741824\n# batch: 1\nGPUs,bandwidth (GiB/s)\n2,1.25\n"),
            "BANDWIDTH_GIGABYTES_PER_SECOND N=2 B=1 1.25");
  ExpectPrintedFault("# batch: 1\nGPUs,bandwidth (GiB/s)\n2,1.25\n", ":4: ", "`# bytes_per_gigabyte = 1073741824`");
  ExpectPrintedFault("# batch: 1\nGPUs,epoch time (min)\n2,1.25 GB\n", ":4: ", "unit GB contradicts epoch_seconds");
  ExpectPrintedFault("# batch: 1\nGPUs,speed-up\n2,93%\n", ":4: ", "unit % contradicts speedup, which is in 1");
  ExpectPrintedFault("# batch: 1\nGPUs,images/s,tokens/s\n2,93,95\n", ":4: ", "a second items_per_second of 2 devices");
  ExpectPrintedFault("# quantity: throughput\nGPUs,value\n2,93 images/s\n4,95 tokens/s\n",
                     ":5: ", "unit tokens/s contradicts the images/s of the same table above");
}

TEST(WideTableNumbersTest, MinutesAndHoursKeepTheirDigits) {
  const auto read = ReadPrinted("# batch: 1\nGPUs,epoch time (min)\n1,12.50\n2,0.11 h\n4,200 s\n");
  ASSERT_THAT(read, IsOk());
  const auto& values = read->table(0).value();
  EXPECT_EQ(values[0].as_printed(), "12.50");
  EXPECT_EQ(values[0].unit_seconds(), 60);
  EXPECT_EQ(values[1].as_printed(), "0.11");
  EXPECT_EQ(values[1].unit_seconds(), 3600);
  EXPECT_EQ(values[2].unit_seconds(), 0);
}

TEST(WideTableNumbersTest, ASpreadIsANote) {
  const auto read = ReadPrinted("# batch: 1\nGPUs,epoch time (s)\n1,120.53 \xC2\xB1 0.41\n2,62.1 +- 0.2\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->table(0).value(0).as_printed(), "120.53");
  EXPECT_EQ(read->table(0).value(0).note(), "printed with \xC2\xB1 0.41");
  EXPECT_EQ(read->table(0).value(1).note(), "printed with \xC2\xB1 0.2");
}

TEST(WideTableNumbersTest, ANumberKeepsItsDigitsInEachForm) {
  const std::string names = "# batch: 1\n# devices: 1\n# quantity: loss\n";
  EXPECT_EQ(PrintedNumbers(absl::StrCat(names, "GPUs;x\n1;0,123\n2;1.024,5\n3;1,024\n")),
            "LOSS N=1 B=1 0.123; LOSS N=2 B=1 1024.5; LOSS N=3 B=1 1.024");
  EXPECT_EQ(PrintedNumbers(absl::StrCat(names, "GPUs\tx\n1\t0.123\n2\t1,024.50\n")),
            "LOSS N=1 B=1 0.123; LOSS N=2 B=1 1024.50");
  EXPECT_EQ(PrintedNumbers(absl::StrCat(names, "GPUs,x\n1,1 024\n2,+5\n3,1.7e+10\n")),
            "LOSS N=1 B=1 1024; LOSS N=2 B=1 5; LOSS N=3 B=1 1.7e+10");
  ExpectPrintedFault(absl::StrCat(names, "GPUs,x\n2,1\n1,\"0,123\"\n"), ":7: ", "write a decimal point");
  ExpectPrintedFault(absl::StrCat(names, "GPUs;x\n1;0,5\n2;1.024\n"), ":7: ", "one decimal sign throughout");
}

TEST(WideTableNumbersTest, ATimeOfAClockIsAboveZero) {
  ExpectPrintedFault("Epoch time (s)\nbatch,1 GPU,2 GPUs\n32,12,7\n64,11,-7.0\n", ":5: ", "a time above 0, found -7.0");
  ExpectPrintedFault("Epoch time (s)\nbatch,1 GPU,2 GPUs\n32,0,7\n", ":4: ", "a time above 0, found 0");
}

}  // namespace
}  // namespace lockstep
