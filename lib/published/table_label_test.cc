#include "lib/published/table_label.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(TableLabelTest, QuantitiesAndUnits) {
  const struct {
    const char* text;
    proto::PublishedQuantity quantity;
    const char* unit;
  } kCases[] = {{"epoch time (s)", proto::EPOCH_SECONDS, "s"},
                {"Time per epoch [s]", proto::EPOCH_SECONDS, "s"},
                {"Mean epoch time in seconds", proto::EPOCH_SECONDS, "s"},
                {"s/epoch", proto::EPOCH_SECONDS, "s"},
                {"Speedup", proto::SPEEDUP, ""},
                {"Speed-up (\xC3\x97)", proto::SPEEDUP, "1"},
                {"images/s", proto::ITEMS_PER_SECOND, "images/s"},
                {"img / sec", proto::ITEMS_PER_SECOND, "images/s"},
                {"Images per second", proto::ITEMS_PER_SECOND, "images/s"},
                {"Throughput (tokens/s)", proto::ITEMS_PER_SECOND, "tokens/s"},
                {"Throughput (images/s/GPU)", proto::ITEMS_PER_SECOND_PER_DEVICE, "images/s"},
                {"Throughput per GPU (images/s)", proto::ITEMS_PER_SECOND_PER_DEVICE, "images/s"},
                {"tokens/s per GPU", proto::ITEMS_PER_SECOND_PER_DEVICE, "tokens/s"},
                {"Tokens/s, per GPU", proto::ITEMS_PER_SECOND_PER_DEVICE, "tokens/s"},
                {"tokens/second (per GPU)", proto::ITEMS_PER_SECOND_PER_DEVICE, "tokens/s"},
                {"tokens per second per device", proto::ITEMS_PER_SECOND_PER_DEVICE, "tokens/s"},
                {"tokens/GPU/s", proto::ITEMS_PER_SECOND_PER_DEVICE, "tokens/s"},
                {"Per-GPU throughput (tokens/s)", proto::ITEMS_PER_SECOND_PER_DEVICE, "tokens/s"},
                {"Actual Throughput (img/s)", proto::ITEMS_PER_SECOND, "images/s"},
                {"Complete Training Time(s)", proto::RUN_SECONDS, "s"},
                {"Throughput speedup", proto::SPEEDUP, ""},
                {"Time to train speed-up", proto::SPEEDUP, ""},
                {"Efficiency (% of ideal)", proto::EFFICIENCY_PERCENT, "%"},
                {"Scaling efficiency [%]", proto::EFFICIENCY_PERCENT, "%"},
                {"efficiency %", proto::EFFICIENCY_PERCENT, "%"},
                {"step time, ms", proto::ITERATION_SECONDS, "ms"},
                {"step_seconds", proto::STEP_SECONDS, "s"},
                {"T_comp (s)", proto::COMPUTE_SECONDS, "s"},
                {"Communication time per epoch (s)", proto::COMMUNICATION_SECONDS, "s"},
                {"Bandwidth (GB/s)", proto::BANDWIDTH_GIGABYTES_PER_SECOND, "GB/s"},
                {"Bandwidth (Gb/s)", proto::BANDWIDTH_GIGABYTES_PER_SECOND, "Gbit/s"},
                {"time/batch (ms)", proto::ITERATION_SECONDS, "ms"},
                {"Training time (h)", proto::RUN_SECONDS, "h"},
                {"Training time per epoch (min)", proto::EPOCH_SECONDS, "min"},
                {"Training time (s/epoch)", proto::EPOCH_SECONDS, "s"},
                {"Train time (s)", proto::RUN_SECONDS, "s"},
                {"Total train time [min]", proto::RUN_SECONDS, "min"},
                {"Train times (s)", proto::RUN_SECONDS, "s"},
                {"train_time_per_epoch (s)", proto::EPOCH_SECONDS, "s"},
                {"Epoch train time (s)", proto::EPOCH_SECONDS, "s"},
                {"Train time (s/epoch)", proto::EPOCH_SECONDS, "s"},
                {"Train time per iteration (ms)", proto::ITERATION_SECONDS, "ms"},
                {"train time/step (ms)", proto::ITERATION_SECONDS, "ms"},
                {"Train time speed-up", proto::SPEEDUP, ""},
                {"Speed-up in train time", proto::SPEEDUP, ""},
                {"Speedup (training time)", proto::SPEEDUP, ""},
                {"Total runtime (h)", proto::RUN_SECONDS, "h"},
                {"Training duration (h)", proto::RUN_SECONDS, "h"},
                {"Runtime per epoch (s)", proto::EPOCH_SECONDS, "s"},
                {"Epoch training time [s]", proto::EPOCH_SECONDS, "s"},
                {"Epochs", proto::RUN_EPOCHS, ""},
                {"time (s)", proto::PUBLISHED_QUANTITY_UNSPECIFIED, "s"}};
  for (const auto& test : kCases) {
    const TableLabel label = ParseTableLabel(test.text);
    EXPECT_EQ(label.quantity, test.quantity) << test.text;
    EXPECT_EQ(label.unit, test.unit) << test.text;
    EXPECT_EQ(label.unknown, "") << test.text;
  }
}

TEST(TableLabelTest, QuantitiesUnderLinearScaling) {
  for (const char* text : {"Ideal images/s", "ideal throughput (img/s)", "Linear throughput [images/s]"}) {
    const TableLabel label = ParseTableLabel(text);
    EXPECT_TRUE(label.is_ideal) << text;
    EXPECT_EQ(label.quantity, proto::ITEMS_PER_SECOND) << text;
    EXPECT_EQ(label.unit, "images/s") << text;
    EXPECT_EQ(label.unknown, "") << text;
  }
  EXPECT_FALSE(ParseTableLabel("Efficiency (% of ideal)").is_ideal);
  EXPECT_EQ(ParseTableLabel("Speedup vs ideal").unknown, "ideal");
}

TEST(TableLabelTest, AnArithmeticIsAContext) {
  EXPECT_EQ(ParseTableLabel("Throughput - TF32 (images/s)").context, "TF32");
  EXPECT_EQ(ParseTableLabel("Throughput - mixed precision (images/s)").context, "mixed precision");
  EXPECT_EQ(ParseTableLabel("Throughput speedup (TF32 to mixed precision)").context, "TF32 to mixed precision");
  EXPECT_EQ(ParseTableLabel("Speedup (FP32 - mixed precision)").context, "FP32 to mixed precision");
  EXPECT_EQ(ParseTableLabel("Speedup of AMP vs FP32").context, "FP32 to mixed precision");
  EXPECT_EQ(ParseTableLabel("FP32, FP16, INT8").unknown, "INT8");
  EXPECT_EQ(ParseTableLabel("Speedup (TF32 to mixed precision)").unknown, "");
}

TEST(TableLabelTest, NamesOfModelsAndQuantitiesThatAreNotRead) {
  EXPECT_TRUE(ParseTableLabel("Model").names_context);
  EXPECT_TRUE(ParseTableLabel("SeqLen (T)").names_context);
  EXPECT_FALSE(ParseTableLabel("Model A").names_context);
  EXPECT_EQ(ParseTableLabel("Model A").unknown, "model");
  EXPECT_TRUE(ParseTableLabel("Peak GPU memory (GB)").is_unused);
  EXPECT_TRUE(ParseTableLabel("MFU").is_unused);
  EXPECT_FALSE(ParseTableLabel("Memory ours").is_unused);
  EXPECT_FALSE(ParseTableLabel("Memory bandwidth (GB/s)").is_unused);
  EXPECT_NE(ParseTableLabel("Memory bandwidth (GB/s)").unknown, "");
}

TEST(TableLabelTest, KindsOfBatches) {
  EXPECT_EQ(ParseTableLabel("Global batch size").batch_kind, "total");
  EXPECT_EQ(ParseTableLabel("total batch 256").batch_kind, "total");
  EXPECT_EQ(ParseTableLabel("total batch 256").batch, 256u);
  EXPECT_EQ(ParseTableLabel("Batch size/GPU").batch_kind, "per_device");
  EXPECT_EQ(ParseTableLabel("batch size").batch_kind, "");
}

TEST(TableLabelTest, StatisticsOverTheRanks) {
  const TableLabel slowest = ParseTableLabel("Epoch time of the slowest rank (s)");
  EXPECT_EQ(slowest.quantity, proto::EPOCH_SECONDS);
  EXPECT_EQ(slowest.rank_statistic, "slowest rank");
  EXPECT_EQ(slowest.unknown, "");
  EXPECT_TRUE(slowest.axes.empty());
  EXPECT_EQ(ParseTableLabel("epoch time, mean over GPUs").rank_statistic, "mean over ranks");
  EXPECT_EQ(ParseTableLabel("Mean epoch time (s)").rank_statistic, "");
}

TEST(TableLabelTest, EpochsOfARun) {
  const TableLabel label = ParseTableLabel("Training time for 90 epochs (h:mm:ss)");
  EXPECT_EQ(label.quantity, proto::RUN_SECONDS);
  EXPECT_EQ(label.unit, "mm:ss");
  EXPECT_EQ(label.epochs, 90u);
  EXPECT_EQ(label.number, 0u);
  EXPECT_EQ(label.unknown, "");
  EXPECT_TRUE(ParseTableLabel("training time, 90 epochs, 5 epochs").contradicts);
}

TEST(TableLabelTest, DevicesAndBatches) {
  const struct {
    const char* text;
    uint32_t devices;
    uint64_t batch, number;
  } kCases[] = {{"4 GPUs", 4, 0, 0},
                {"1 GPU", 1, 0, 0},
                {"N=4", 4, 0, 0},
                {"N = 4, B = 128", 4, 128, 0},
                {"batch 128", 0, 128, 0},
                {"Batch size: 1,024", 0, 1024, 0},
                {"bs128", 0, 128, 0},
                {"4gpus batch 32", 4, 32, 0},
                {"batch 32 / 4 GPUs", 4, 32, 0},
                {"2 GPU(s)", 2, 0, 0},
                {"mini-batch size 64", 0, 64, 0},
                {"128", 0, 0, 128},
                {"1,024", 0, 0, 1024},
                {"(batch 128)", 0, 128, 0}};
  for (const auto& test : kCases) {
    const TableLabel label = ParseTableLabel(test.text);
    EXPECT_EQ(label.devices, test.devices) << test.text;
    EXPECT_EQ(label.batch, test.batch) << test.text;
    EXPECT_EQ(label.number, test.number) << test.text;
    EXPECT_EQ(label.unknown, "") << test.text;
    EXPECT_FALSE(label.contradicts) << test.text;
  }
}

TEST(TableLabelTest, WordsWithoutANumberAreAxes) {
  EXPECT_THAT(ParseTableLabel("GPUs \\ batch").axes, ElementsAre(TableAxis::kDevices, TableAxis::kBatch));
  EXPECT_THAT(ParseTableLabel("B/N").axes, ElementsAre(TableAxis::kBatch, TableAxis::kDevices));
  EXPECT_THAT(ParseTableLabel("Number of GPUs").axes, ElementsAre(TableAxis::kDevices));
  EXPECT_THAT(ParseTableLabel("#GPUs").axes, ElementsAre(TableAxis::kDevices));
  EXPECT_THAT(ParseTableLabel("batch size per GPU").axes, ElementsAre(TableAxis::kBatch));
}

TEST(TableLabelTest, TheBaseOfAQuotientIsNoNumberOfDevices) {
  const TableLabel label = ParseTableLabel("Speed-up vs 2 GPUs");
  EXPECT_EQ(label.base_devices, 2u);
  EXPECT_EQ(label.devices, 0u);
  EXPECT_EQ(ParseTableLabel("speedup relative to 4 GPUs").base_devices, 4u);
}

TEST(TableLabelTest, OtherWordsAndContradictions) {
  EXPECT_EQ(ParseTableLabel("ours").unknown, "ours");
  EXPECT_EQ(ParseTableLabel("epoch time ResNet-18 (s)").unknown, "resnet");
  EXPECT_TRUE(ParseTableLabel("from 2 GPUs, 4 GPUs").contradicts);
  EXPECT_TRUE(ParseTableLabel("epoch time and speed-up").contradicts);
  EXPECT_TRUE(ParseTableLabel("speed-up and train time").contradicts);
  EXPECT_NE(ParseTableLabel("0 GPUs").unknown, "");
  EXPECT_NE(ParseTableLabel("99999999999999999999999 GPUs").unknown, "");
}

TEST(TableLabelTest, LabelsAreMerged) {
  TableLabel label = ParseTableLabel("batch 32");
  AddToLabel(ParseTableLabel("4 GPUs, epoch time (s)"), label);
  EXPECT_EQ(label.batch, 32u);
  EXPECT_EQ(label.devices, 4u);
  EXPECT_EQ(label.quantity, proto::EPOCH_SECONDS);
  EXPECT_FALSE(label.contradicts);
  AddToLabel(ParseTableLabel("batch 64"), label);
  EXPECT_TRUE(label.contradicts);
}

}  // namespace
}  // namespace lockstep
