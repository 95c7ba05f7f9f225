// Names of rows and columns of wide tables: quantities, contexts, batches, runs.
#include <string>
#include <vector>

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

TEST(WideTableNamesTest, TrainingSamplesAreAStatementOfTheDocument) {
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

TEST(WideTableNamesTest, ExamplesAreSamples) {
  EXPECT_EQ(PrintedNumbers("GPUs,Examples/s,Speedup\n2,191,1.89\n"),
            "ITEMS_PER_SECOND N=2 B=0 191; SPEEDUP N=2 B=0 1.89");
  EXPECT_EQ(PrintedNumbers("GPUs,examples per second per GPU\n2,191\n"), "ITEMS_PER_SECOND_PER_DEVICE N=2 B=0 191");
}

TEST(WideTableNamesTest, AnIdealRateIsAQuantity) {
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

TEST(WideTableNamesTest, ArithmeticsAndModelsAreContexts) {
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

TEST(WideTableNamesTest, WholeNumbersOfAColumnOfContextsHaveItsName) {
  const auto tables =
      ReadPrinted("Model,SeqLen,GPUs,tokens/s,tokens/s per GPU\n3b,2048,8,8000,1000\n3b,4096,8,7200,900\n");
  ASSERT_THAT(tables, IsOk());
  ASSERT_EQ(tables->table(0).value_size(), 4);
  EXPECT_EQ(tables->table(0).value(0).context(), "3b, SeqLen 2048");
  EXPECT_EQ(tables->table(0).value(3).context(), "3b, SeqLen 4096");
  EXPECT_EQ(tables->table(0).value(3).quantity(), proto::ITEMS_PER_SECOND_PER_DEVICE);
}

TEST(WideTableNamesTest, NamesOfGpusAreContextsNextToTheirNumber) {
  const auto models =
      ReadPrinted("| # GPUs | GPU | tokens/s |\n|---|---|---|\n| 8 | h100_80gb | 8000 |\n| 8 | a100 | 4000 |\n");
  ASSERT_THAT(models, IsOk());
  EXPECT_EQ(models->table(0).value(0).context(), "h100_80gb");
  EXPECT_EQ(models->table(0).value(1).devices(), 8u);
}

TEST(WideTableNamesTest, ANameMayStateTheKindOfBatch) {
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

TEST(WideTableNamesTest, StatisticsOverTheRanksDistinguishNumbers) {
  const auto read =
      ReadPrinted("# batch: 1\nGPUs,epoch time (s) mean over ranks,epoch time (s) slowest rank\n4,20.5,21.75\n");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->table(0).value(0).context(), "mean over ranks");
  EXPECT_EQ(read->table(0).value(1).context(), "slowest rank");
  EXPECT_EQ(read->table(0).value(1).as_printed(), "21.75");
}

TEST(WideTableNamesTest, TimesOfWholeRuns) {
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

TEST(WideTableNamesTest, TrainTimesAreTimesOfARun) {
  const char kExpected[] =
      "RUN_SECONDS N=1 B=32 1998.2; RUN_EPOCHS N=1 B=32 20; RUN_SECONDS N=2 B=32 1050.5; RUN_EPOCHS N=2 B=32 20";
  for (const char* name : {"Train time (s)", "Total train time (s)", "train_time (sec)", "Training duration [s]"}) {
    EXPECT_EQ(PrintedNumbers(absl::StrCat("# batch: 32\nGPUs,", name, ",epochs\n1,1998.2,20\n2,1050.5,20\n")),
              kExpected)
        << name;
  }
  EXPECT_EQ(PrintedNumbers("# batch: 32\nTime per epoch\nGPUs,Train time (s)\n1,99.94\n"),
            "EPOCH_SECONDS N=1 B=32 99.94");
  EXPECT_EQ(PrintedNumbers("# batch: 32\nGPUs,Train time per step (ms)\n1,250\n"), "ITERATION_SECONDS N=1 B=32 0.250");
  EXPECT_EQ(PrintedNumbers("# batch: 32\nGPUs,Speed-up in train time\n2,1.9\n"), "SPEEDUP N=2 B=32 1.9");
}

TEST(WideTableNamesTest, APlainQuantityHasTheOnlyBatchOfTheOtherColumns) {
  const char kExpected[] =
      "EPOCH_SECONDS N=1 B=32 31.42; SPEEDUP N=1 B=32 1.00; EPOCH_SECONDS N=2 B=32 17.05; SPEEDUP N=2 B=32 1.84";
  EXPECT_EQ(PrintedNumbers("GPUs,batch 32: epoch time (s),speedup\n1,31.42,1.00\n2,17.05,1.84\n"), kExpected);
  EXPECT_EQ(PrintedNumbers("Epoch time (s)\nGPUs,batch 32,speedup\n1,31.42,1.00\n2,17.05,1.84\n"), kExpected);
  EXPECT_EQ(PrintedNumbers(",1 GPU,2 GPUs\nbatch 32: epoch time (s),31.42,17.05\nspeedup,-,1.84\n"),
            "EPOCH_SECONDS N=1 B=32 31.42; EPOCH_SECONDS N=2 B=32 17.05; SPEEDUP N=2 B=32 1.84");
  // A remark, which states the batch of numbers whose names do not, comes first.
  EXPECT_EQ(PrintedNumbers("# batch: 64\nGPUs,batch 32: epoch time (s),speedup\n2,17.05,1.84\n"),
            "EPOCH_SECONDS N=2 B=32 17.05; SPEEDUP N=2 B=64 1.84");
}

TEST(WideTableNamesTest, ABatchIsNotGuessed) {
  // If the columns state two batches, neither is chosen, even if one belongs to a column that is not read.
  EXPECT_EQ(PrintedNumbers("GPUs,batch 32: epoch time (s),batch 64: epoch time (s),speedup\n2,17.05,15.5,1.84\n"),
            "EPOCH_SECONDS N=2 B=32 17.05; EPOCH_SECONDS N=2 B=64 15.5; SPEEDUP N=2 B=0 1.84");
  EXPECT_EQ(PrintedNumbers("GPUs,batch 32: epoch time (s),batch 64: memory (GB),speedup\n2,17.05,8.5,1.84\n"),
            "EPOCH_SECONDS N=2 B=32 17.05; SPEEDUP N=2 B=0 1.84");
  // The names of these rows state no quantity.
  EXPECT_EQ(PrintedNumbers("Speed-up\n,value\n\"2 GPUs, batch 32\",1.84\n4 GPUs,3.18\n"),
            "SPEEDUP N=2 B=32 1.84; SPEEDUP N=4 B=0 3.18");
  EXPECT_EQ(PrintedNumbers(",Speed-up\n\"2 GPUs, batch 32\",1.84\n4 GPUs,3.18\n"),
            "SPEEDUP N=2 B=32 1.84; SPEEDUP N=4 B=0 3.18");
  ExpectPrintedFault("GPUs,batch 32: loss,batch 64: loss,epoch time (s)\n1,0.5,0.4,31.42\n",
                     ":3: ", "the batch is not stated");
}

}  // namespace
}  // namespace lockstep
