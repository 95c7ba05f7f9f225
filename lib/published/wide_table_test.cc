#include "lib/published/wide_table.h"

#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/published_check.h"
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
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(WideTableTest, TrainingSamplesAreAStatementOfTheDocument) {
  const std::string text = "# batch: 32\nMetric,1 GPU,4 GPUs\nTraining samples,\"120,000\",\"120,000\"\nloss,0.5,0.4\n";
  EXPECT_EQ(PrintedNumbers(text), "LOSS N=1 B=32 0.5; LOSS N=4 B=32 0.4");
  const auto read = ReadPrinted(text);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->claims().images_per_epoch(), 120'000u);
  EXPECT_EQ(read->table(0).left_out_size(), 0);
  ExpectPrintedFault(absl::StrCat("# images_per_epoch: 50000\n", text), ":5",
                     "120000 training samples contradict the 50000");
  ExpectPrintedFault("GPUs,Training images,loss\n1,0.5,0.5\n", ":3", "expected a whole number of training samples");
  EXPECT_EQ(PrintedNumbers("GPUs,Training samples per second\n1,202\n"), "ITEMS_PER_SECOND N=1 B=0 202");
}

TEST(WideTableTest, ExamplesAreSamples) {
  EXPECT_EQ(PrintedNumbers("GPUs,Examples/s,Speedup\n2,191,1.89\n"),
            "ITEMS_PER_SECOND N=2 B=0 191; SPEEDUP N=2 B=0 1.89");
  EXPECT_EQ(PrintedNumbers("GPUs,examples per second per GPU\n2,191\n"), "ITEMS_PER_SECOND_PER_DEVICE N=2 B=0 191");
}

TEST(WideTableTest, AnIdealRateIsAQuantity) {
  const char kExpected[] =
      "IDEAL_ITEMS_PER_SECOND N=2 B=0 480; ITEMS_PER_SECOND N=2 B=0 464; EFFICIENCY_PERCENT N=2 B=0 96.7; "
      "IDEAL_SPEEDUP N=2 B=0 2";
  EXPECT_EQ(PrintedNumbers(
                "| GPUs | Ideal Throughput (img/s) | Actual Throughput (img/s) | Efficiency (%) | Ideal speed-up |\n"
                "|---|---|---|---|---|\n| **2** | 480 | 464 | 96.7 | 2x |\n"),
            kExpected);
  EXPECT_EQ(PrintedNumbers("Throughput (images/s)\n,2 GPUs,4 GPUs\nideal,480,960\nactual,464,-\n"),
            "IDEAL_ITEMS_PER_SECOND N=2 B=0 480; IDEAL_ITEMS_PER_SECOND N=4 B=0 960; ITEMS_PER_SECOND N=2 B=0 464");
  EXPECT_EQ(PrintedNumbers("# quantity: ideal epoch time\n# unit: s\nbatch,2 GPUs\n32,5.25\n"),
            "IDEAL_EPOCH_SECONDS N=2 B=32 5.25");
  ExpectPrintedFault("GPUs,Ideal efficiency (%)\n2,100\n", ":3", "an ideal efficiency_percent is no known quantity");
}

TEST(WideTableTest, ArithmeticsAndModelsAreContexts) {
  const auto tables = ReadPrinted(
      "| Model | GPUs | Throughput - FP32 (img/s) | Throughput - mixed precision (img/s) | Speedup (FP32 to mixed "
      "precision) | Memory (GB) |\n|---|---|---|---|---|---|\n| ResNet-50 | 8 | 2000 | 6000 | 3.00 | 12.1 |\n");
  ASSERT_THAT(tables, IsOk());
  std::vector<std::string> contexts;
  for (const proto::PublishedValue& value : tables->table(0).value()) {
    contexts.push_back(value.context());
  }
  EXPECT_THAT(contexts, ::testing::ElementsAre("ResNet-50, FP32", "ResNet-50, mixed precision",
                                               "ResNet-50, FP32 to mixed precision"));
}

TEST(WideTableTest, WholeNumbersOfAColumnOfContextsHaveItsName) {
  const auto tables =
      ReadPrinted("Model,SeqLen,GPUs,tokens/s,tokens/s per GPU\n3b,2048,8,8000,1000\n3b,4096,8,7200,900\n");
  ASSERT_THAT(tables, IsOk());
  ASSERT_EQ(tables->table(0).value_size(), 4);
  EXPECT_EQ(tables->table(0).value(0).context(), "3b, SeqLen 2048");
  EXPECT_EQ(tables->table(0).value(3).context(), "3b, SeqLen 4096");
  EXPECT_EQ(tables->table(0).value(3).quantity(), proto::ITEMS_PER_SECOND_PER_DEVICE);
}

TEST(WideTableTest, NamesOfGpusAreContextsNextToTheirNumber) {
  const auto models =
      ReadPrinted("| # GPUs | GPU | tokens/s |\n|---|---|---|\n| 8 | h100_80gb | 8000 |\n| 8 | a100 | 4000 |\n");
  ASSERT_THAT(models, IsOk());
  EXPECT_EQ(models->table(0).value(0).context(), "h100_80gb");
  EXPECT_EQ(models->table(0).value(1).devices(), 8u);
}

TEST(WideTableTest, ANameMayStateTheKindOfBatch) {
  const auto total = ReadPrinted("Epoch time (s)\nGlobal batch size,1 GPU\n256,10.5\n");
  ASSERT_THAT(total, IsOk());
  EXPECT_EQ(total->claims().batch(), "total");
  const auto each = ReadPrinted("GPUs,Batch size/GPU,Epoch time (s)\n2,64,10.5\n");
  ASSERT_THAT(each, IsOk());
  EXPECT_EQ(each->claims().batch(), "per_device");
  EXPECT_EQ(each->table(0).value(0).batch(), 64u);
  const auto spaced = ReadPrinted("GPUs,Batch size / GPU,Epoch time (s)\n2,64,10.5\n");
  ASSERT_THAT(spaced, IsOk());
  EXPECT_EQ(spaced->DebugString(), each->DebugString());
  ExpectPrintedFault("# batch: per_device\nEpoch time (s)\nGlobal batch size,1 GPU\n256,10.5\n", ":5",
                     "a batch that is total contradicts the per_device batch above");
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

TEST(WideTableTest, UnitsAreConvertedWithoutChangingADigit) {
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

TEST(WideTableTest, MinutesAndHoursKeepTheirDigits) {
  const auto read = ReadPrinted("# batch: 1\nGPUs,epoch time (min)\n1,12.50\n2,0.11 h\n4,200 s\n");
  ASSERT_THAT(read, IsOk());
  const auto& values = read->table(0).value();
  EXPECT_EQ(values[0].as_printed(), "12.50");
  EXPECT_EQ(values[0].unit_seconds(), 60);
  EXPECT_EQ(values[1].as_printed(), "0.11");
  EXPECT_EQ(values[1].unit_seconds(), 3600);
  EXPECT_EQ(values[2].unit_seconds(), 0);
}

TEST(WideTableTest, StatisticsOverTheRanksDistinguishNumbers) {
  const auto read =
      ReadPrinted("# batch: 1\nGPUs,epoch time (s) mean over ranks,epoch time (s) slowest rank\n4,20.5,21.75\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->table(0).value(0).context(), "mean over ranks");
  EXPECT_EQ(read->table(0).value(1).context(), "slowest rank");
  EXPECT_EQ(read->table(0).value(1).as_printed(), "21.75");
}

TEST(WideTableTest, TimesOfWholeRuns) {
  const auto read =
      ReadPrinted("# batch: 32\nTraining time for 90 epochs (h:mm:ss)\nGPUs,value\n1,9:00:00\n4,2:30:00\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->claims().epochs(), 90u);
  EXPECT_EQ(read->table(0).value(1).quantity(), proto::RUN_SECONDS);
  EXPECT_EQ(read->table(0).value(1).as_printed(), "9000");
  EXPECT_EQ(PrintedNumbers("# batch: 1\nGPUs,training time (min),epochs\n1,90.5,30\n"),
            "RUN_SECONDS N=1 B=1 90.5; RUN_EPOCHS N=1 B=1 30");
  // The remark states that these are times of an epoch.
  EXPECT_EQ(PrintedNumbers("# batch: 1\n# quantity: epoch time\nGPUs,training time (s)\n1,90.5\n"),
            "EPOCH_SECONDS N=1 B=1 90.5");
  ExpectPrintedFault("# batch: 1\n# epochs: 30\nTraining time for 90 epochs (h)\nGPUs,value\n1,9.25\n",
                     ":6: ", "runs of 90 epochs contradict those of 30");
}

TEST(WideTableTest, ASpreadIsANote) {
  const auto read = ReadPrinted("# batch: 1\nGPUs,epoch time (s)\n1,120.53 \xC2\xB1 0.41\n2,62.1 +- 0.2\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->table(0).value(0).as_printed(), "120.53");
  EXPECT_EQ(read->table(0).value(0).note(), "printed with \xC2\xB1 0.41");
  EXPECT_EQ(read->table(0).value(1).note(), "printed with \xC2\xB1 0.2");
}

TEST(WideTableTest, WhatIsNotStatedIsNamedWithItsRemedy) {
  ExpectPrintedFault("batch,1 GPU\n32,10.5\n", ":3: ",
                     "the quantity is not stated; write it into the name of the column or row, or "
                     "add `# quantity: epoch time`");
  ExpectPrintedFault("# batch: 1\nGPUs,Time\n1,120 min\n",
                     ":4: ", "a column of times is 'epoch time (s)', 'run time (s)' or 'iteration time (s)'");
  ExpectPrintedFault("# batch: 1\nGPUs,efficiency\n2,0.940\n",
                     ":4: ", "such as '(fraction)', or add `# unit: fraction`");
  ExpectPrintedFault("# batch: 1\nGPUs,efficiency\n2,94.0\n", ":4: ", "such as '(%)', or add `# unit: %`");
  ExpectPrintedFault("# batch: 1\nGPUs,epoch time\n1,10.5\n", ":4: ",
                     "the unit of epoch_seconds is not stated; write it into the "
                     "name, such as '(s)', or add `# unit: s`");
  ExpectPrintedFault("GPUs,epoch time (s)\n1,10.5\n", ":3: ",
                     "the batch is not stated; write 'batch 128' as the name of the row or "
                     "column, or add `# batch: 128`");
  ExpectPrintedFault("batch,epoch time (s)\n1,10.5\n", ":3: ", "add `# devices: 1`");
  ExpectPrintedFault("Epoch time (s)\n,1 GPU\n32,10.5\n", ":4: ", "add `# rows: devices` or `# rows: batch`");
  ExpectPrintedFault("Epoch time (s)\nGPUs,32,64\n1,10.5,9.1\n",
                     ":3: ", "add `# columns: devices` or `# columns: batch`");
  EXPECT_THAT(ParsePublishedCsv("batch,loss\n32,10.5\n", "a.csv").status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a.csv:1: the source is not stated; add `# source: ")));
}

TEST(WideTableTest, AllErrorsAreListedWithTheirLines) {
  const auto read = ParsePublishedCsv(
      "# unit: parsec\nEpoch time\nbatch,1 GPU,ours\n32,10.5s,3\n64,fast,4\n128,12,5\n256,1:75,1\n", "a.csv");
  const std::string message(read.status().message());
  EXPECT_THAT(read.status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a.csv: 6 errors: line 1: ")));
  for (const char* part :
       {"line 1: expected a unit", "line 1: the source is not stated", "line 3: 'ours': column 3: expected a name",
        "line 5: 'fast': column 2: expected a number", "line 6: the unit of epoch_seconds is not stated",
        "line 7: '1:75': column 2: expected a clock time"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
}

TEST(WideTableTest, AnErrorShowsFortyBytesOfTheFileInAll) {
  std::string rows = "# batch: 1\nGPUs,epoch time (s)\n50,1.5\n";  // the first number ends the header
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&rows, i, ",PRIVATE", i, "\n");
  }
  const auto read = ReadPrinted(rows);
  const std::string message(read.status().message());
  EXPECT_THAT(message, HasSubstr("a.csv: 39 errors: "));
  EXPECT_THAT(message, HasSubstr("; and 19 more"));
  EXPECT_THAT(message, AllOf(HasSubstr("PRIVATE4"), Not(HasSubstr("PRIVATE6"))));
}

TEST(WideTableTest, NamesThatContradictAreRefused) {
  ExpectPrintedFault("# batch: 1\nGPUs,4 GPUs speed-up\n2,1.5\n",
                     ":4: ", "the names of row and column contradict each other");
  ExpectPrintedFault("# devices: 1\n,32\n64,1.5\n",
                     ": 2 errors: line 3: ", "the columns are numbers of devices or of batches");
  ExpectPrintedFault("# batch: 1\n1,2,3\n4,5,6.5\n", ":3: ", "the first row has numbers and no names");
  ExpectPrintedFault("# batch: 1\nGPUs,loss,loss\n1,0.5,0.6\n",
                     ":4: ", "a second loss of 1 devices, batch 1 in one table");
}

TEST(WideTableTest, ANumberKeepsItsDigitsInEachForm) {
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

TEST(WideTableTest, LimitsAreThoseOfPublishedTables) {
  std::string text;
  for (int i = 0; i <= kMaxPublishedTables; ++i) {
    absl::StrAppend(&text, "GPUs,loss\n1,0.5\n\n");
  }
  ExpectPrintedFault(text, ":", "expected at most 500 tables, found 501");
  text = "# devices: 1\nbatch,loss\n";
  for (int i = 0; i <= kMaxPublishedNumbers; ++i) {
    absl::StrAppend(&text, i + 1, ",0.5\n");
  }
  ExpectPrintedFault(text, ":", "expected at most 10000 numbers, found 10001");
  text = "# devices: 1\nbatch,loss\n1,5\n";
  for (int i = 0; i < 200; ++i) {
    absl::StrAppend(&text, i + 2, std::string(999, ','), "1\n");
  }
  ExpectPrintedFault(text, ":", "a file at most 100000 cells");
}

TEST(WideTableTest, ATimeOfAClockIsAboveZero) {
  ExpectPrintedFault("Epoch time (s)\nbatch,1 GPU,2 GPUs\n32,12,7\n64,11,-7.0\n", ":5: ", "a time above 0, found -7.0");
  ExpectPrintedFault("Epoch time (s)\nbatch,1 GPU,2 GPUs\n32,0,7\n", ":4: ", "a time above 0, found 0");
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
