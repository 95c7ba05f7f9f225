#include "lib/published/wide_table.h"

#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/published_csv.h"
#include "lib/published/wide_table_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::EqualsProto;
using ::lockstep::testing::ExpectPrintedFault;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::kPrintedSource;
using ::lockstep::testing::PrintedNumbers;
using ::lockstep::testing::ReadPrinted;

// One table in all forms.
TEST(WideTableTest, AllFormsGiveTheSameTables) {
  const auto expected = ParsePublishedCsv(
      "# source = Table 2 of a thesis\n# images_per_epoch = 50000\n"
      "table,quantity,devices,batch_per_device,value,unit,as_printed\n"
      "Table 2,epoch_seconds,1,32,,s,1023.50\nTable 2,epoch_seconds,2,32,,s,62.4\n"
      "Table 2,epoch_seconds,1,128,,s,9.80\n",
      "a.csv");
  ASSERT_THAT(expected, IsOk());
  const std::string remark = "# images_per_epoch: 50000\n", named = absl::StrCat(remark, "# table: Table 2\n");
  const std::string forms[] = {
      absl::StrCat(remark, "Table 2: Epoch time (s)\nbatch,1 GPU,2 GPUs\n32,\"1,023.50\",62.4\n128,9.80,OOM\n"),
      absl::StrCat(remark, "\"Table 2: Epoch time (s)\",,\nbatch / GPUs,1,2\n32,\"1,023.50\",62.4\n128,9.80,\n"),
      absl::StrCat(named, "# quantity: epoch time\n# unit: s\nB;N=1;N=2\n32;1.023,50;62,4\n128;9,80;-\n"),
      absl::StrCat(
          named,
          "# quantity: time per epoch\n# unit: sec\nbatch size \\ GPUs\t1\t2\n32\t1 023,50\t62,4\n128\t9,80\tn/a\n"),
      absl::StrCat(named,
                   "## Time per epoch [s]\n\n| batch | 1 GPU | 2 GPUs |\n|---:|:---|---|\n| 32 | **1,023.50** | 62.4s "
                   "|\n| 128 | ~9.80 | |\n"),
      absl::StrCat(named,
                   "\\begin{table}\n\\caption{Epoch time (s)}\n\\begin{tabular}{l|rr}\n\\toprule\n\\textbf{Batch} & "
                   "\\multicolumn{1}{c}{1 GPU} & 2 GPUs \\\\ \\midrule\n$32$ & 1{,}023.50 & 62.4 \\\\[2pt]\n"
                   "128 & \\textbf{9.80} & -- \\\\\n\\bottomrule\n\\end{tabular}\n\\end{table}\n"),
      absl::StrCat(named, "batch,GPUs,Epoch time (s)\n32,1,1023.50\n,2,62.4\n128,1,9.80\n"),
      absl::StrCat(named, ",batch 32,,batch 128,\n,1 GPU,2 GPUs,1 GPU,2 GPUs\nepoch time (s),1023.50,62.4,9.80,N/A\n"),
      absl::StrCat(named, "epoch time,1 GPU,2 GPUs\nB=32,17:03.50,62.4 s\nB=128,9800 ms,-\n"),
  };
  for (size_t i = 0; i < std::size(forms); ++i) {
    const auto read = ReadPrinted(forms[i]);
    ASSERT_THAT(read, IsOk()) << forms[i];
    const std::string text = i + 1 == std::size(forms)
                                 ? absl::StrReplaceAll(read->DebugString(), {{"\"9.800\"", "\"9.80\""}})
                                 : read->DebugString();  // 9800 ms are 9.800 s
    EXPECT_EQ(text, expected->DebugString()) << forms[i];
  }
}

TEST(WideTableTest, DevicesMayBeRows) {
  const char kExpected[] =
      "EPOCH_SECONDS N=1 B=32 23.5; EPOCH_SECONDS N=1 B=128 20.1; EPOCH_SECONDS N=2 B=32 12.0; EPOCH_SECONDS N=2 B=128 "
      "9.9";
  for (const char* names :
       {"GPUs \\ batch,32,128\n", "N/B,32,128\n", "GPUs,batch 32,batch 128\n", "devices,B=32,B=128\n"}) {
    EXPECT_EQ(PrintedNumbers(absl::StrCat("Epoch time (s)\n", names, "1,23.5,20.1\n2,12.0,9.9\n")), kExpected);
  }
  EXPECT_EQ(
      PrintedNumbers(
          "# quantity: epoch time\n# unit: s\n# rows: devices\n# columns: batch\n,32,128\n1,23.5,20.1\n2,12.0,9.9\n"),
      kExpected);
}

TEST(WideTableTest, ColumnsMayBeQuantities) {
  EXPECT_EQ(
      PrintedNumbers("# batch: 128\nGPUs,Epoch time (s),Speed-up,Efficiency (%),images/s,T_comm [ms],Bandwidth (GB/s)\n"
                     "1,120.5,1.00x,100 %,\"1,037\",-,-\n4,33.1,3.64x,91%,3776,250,1.5\n"),
      "EPOCH_SECONDS N=1 B=128 120.5; SPEEDUP N=1 B=128 1.00; EFFICIENCY_PERCENT N=1 B=128 100; "
      "ITEMS_PER_SECOND N=1 B=128 1037; EPOCH_SECONDS N=4 B=128 33.1; SPEEDUP N=4 B=128 3.64; "
      "EFFICIENCY_PERCENT N=4 B=128 91; ITEMS_PER_SECOND N=4 B=128 3776; COMMUNICATION_SECONDS N=4 B=128 0.250; "
      "BANDWIDTH_GIGABYTES_PER_SECOND N=4 B=128 1.5");
}

TEST(WideTableTest, RowsMayBeQuantities) {
  EXPECT_EQ(PrintedNumbers("# batch: 32\nGPUs,1,2\nepoch time (s),10.0,5.5\nspeed-up,1,1.82\n"),
            "EPOCH_SECONDS N=1 B=32 10.0; EPOCH_SECONDS N=2 B=32 5.5; SPEEDUP N=1 B=32 1; SPEEDUP N=2 B=32 1.82");
}

TEST(WideTableTest, ARemarkHoldsForTheTablesBelow) {
  const auto read = ReadPrinted(
      "# batch: 32\n# context: fp32\n# base_devices: 2\n# quantity: speedup\nGPUs,x\n4,1.9\n\n"
      "# batch = 64\n# table: Second\n# context:\nGPUs,speed-up vs 3 GPUs\n4,1.3\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_THAT(*read, EqualsProto(R"pb(
    source: "Table 2 of a thesis"
    claims {}
    table {
      name: "Table 1"
      value { quantity: SPEEDUP devices: 4 batch: 32 as_printed: "1.9" context: "fp32" base_devices: 2 }
    }
    table {
      name: "Second"
      value { quantity: SPEEDUP devices: 4 batch: 64 as_printed: "1.3" base_devices: 3 }
    })pb"));
}

TEST(WideTableTest, KeysOfTheDocumentMayHaveColons) {
  const auto read = ReadPrinted(
      "# Batch: per_device\n# facts.source: one\n# facts.source: two\n# note: anything\n"
      "GPUs,loss\n1,0.5\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->claims().batch(), "per_device");
  EXPECT_EQ(read->facts().source_size(), 2);
  ExpectPrintedFault("# parameters = 5\nGPUs,loss\n1,0.5\n", ":2: ", "unknown key 'parameters'; known: source, ");
  ExpectPrintedFault("# batch: global\nGPUs,loss\n1,0.5\n", ":2: ", "unknown batch 'global'; known: per_device, total");
}

TEST(WideTableTest, AFileIsTakenForWhatItIs) {
  const auto is_table = [](const std::string& text) {
    const auto tables = FindPublishedCsv(absl::StrCat(kPrintedSource, text), "a.md");
    return !tables.ok() || tables->has_value();
  };
  EXPECT_TRUE(is_table("GPUs,loss\n1,2.5\n"));
  EXPECT_TRUE(is_table("GPUs,epoch time (s)\n1,2.5\n"));  // lacks its batch
  EXPECT_TRUE(is_table("| GPUs | loss |\n|---|---|\n| 1 | 2.5 |\n"));
  EXPECT_TRUE(is_table("GPUs & loss \\\\\n1 & 2.5 \\\\\n"));
  EXPECT_TRUE(is_table("# quantity: loss\nGPUs,x\n1,\n"));
  EXPECT_FALSE(is_table("source: 'a, b'\ntable { name: 'c, 1.5' }\n"));
  EXPECT_FALSE(is_table("a text, of words\nand, of others\n"));
  ExpectPrintedFault("# quantity: loss\nGPUs,x\n1,\n", ":1: ", "no cell has a number");
}

}  // namespace
}  // namespace lockstep
