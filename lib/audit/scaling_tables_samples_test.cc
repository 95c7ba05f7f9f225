// Published tables of samples per second, and of times in prose: judged manually, then by the audit.
#include "gtest/gtest.h"
#include "lib/audit/scaling_table_audit_testing.h"

namespace lockstep::testing {
namespace {

constexpr ByHand kFollows = ByHand::kFollows;
constexpr ByHand kBaseNotOne = ByHand::kBaseNotOne;
constexpr ByHand kWithinRounding = ByHand::kWithinRounding;
constexpr ByHand kCutOff = ByHand::kCutOff;
constexpr ByHand kDoesNotFollow = ByHand::kDoesNotFollow;

// The base is another program; for AmoebaNet-D it runs on two devices.
TEST(ScalingTablesTest, TorchgpipeDocs) {
  ExpectJudged("torchgpipe_docs.csv",
               {
                   {"ResNet-101", kSpeedup, "naive", 1, "1.000", 92.539 / 92.539, kFollows},
                   {"ResNet-101", kSpeedup, "pipeline", 1, "0.756", 69.960 / 92.539, kFollows},
                   {"ResNet-101", kSpeedup, "pipeline", 2, "1.489", 137.788 / 92.539, kFollows},
                   {"ResNet-101", kSpeedup, "pipeline", 4, "2.629", 243.322 / 92.539, kFollows},
                   {"ResNet-101", kSpeedup, "pipeline", 8, "4.367", 404.084 / 92.539, kFollows},
                   {"AmoebaNet-D", kSpeedup, "naive", 2, "1.000", 14.188 / 14.188, kFollows},
                   {"AmoebaNet-D", kSpeedup, "pipeline", 2, "1.434", 20.346 / 14.188, kBaseNotOne},
                   {"AmoebaNet-D", kSpeedup, "pipeline", 4, "2.049", 29.074 / 14.188, kBaseNotOne},
                   {"AmoebaNet-D", kSpeedup, "pipeline", 8, "2.424", 34.392 / 14.188, kBaseNotOne},
               },
               9);
}

// Seven quotients follow from no printed rate: 41.133 / 26.733 = 1.539, not 1.546.
TEST(ScalingTablesTest, TorchgpipeAmoebaNet) {
  ExpectJudged("torchgpipe_amoebanet.csv",
               {
                   {"Result", kSpeedup, "m = 1", 2, "1", 26.733 / 26.733, kFollows},
                   {"Result", kSpeedup, "m = 4", 2, "1.546", 41.133 / 26.733, kDoesNotFollow},
                   {"Result", kSpeedup, "m = 32", 2, "1.780", 47.386 / 26.733, kDoesNotFollow},
                   {"Result", kSpeedup, "m = 1", 4, "1.006", 26.827 / 26.733, kDoesNotFollow},
                   {"Result", kSpeedup, "m = 4", 4, "1.680", 44.543 / 26.733, kDoesNotFollow},
                   {"Result", kSpeedup, "m = 32", 4, "2.711", 72.412 / 26.733, kDoesNotFollow},
                   {"Result", kSpeedup, "m = 1", 8, "0.932", 24.918 / 26.733, kBaseNotOne},
                   {"Result", kSpeedup, "m = 4", 8, "2.625", 70.065 / 26.733, kDoesNotFollow},
                   {"Result", kSpeedup, "m = 32", 8, "4.966", 132.413 / 26.733, kDoesNotFollow},
               },
               9);
}

// 10633.22 / 1034.64 = 10.277, but 10.2 is printed.
TEST(ScalingTablesTest, Paddle) {
  ExpectJudged("dlperf_paddle_resnet50.csv",
               {
                   {"FP32", kSpeedup, "", 1, "1", 352.72 / 352.72, kFollows},
                   {"FP32", kSpeedup, "", 2, "1.83", 644.66 / 352.72, kFollows},
                   {"FP32", kSpeedup, "", 4, "3.85", 1358.64 / 352.72, kFollows},
                   {"FP32", kSpeedup, "", 8, "7.44", 2625.38 / 352.72, kFollows},
                   {"FP32", kSpeedup, "", 16, "13.88", 4895.27 / 352.72, kFollows},
                   {"FP32", kSpeedup, "", 32, "26.50", 9348.17 / 352.72, kFollows},
                   {"FP16", kSpeedup, "", 1, "1", 1034.64 / 1034.64, kFollows},
                   {"FP16", kSpeedup, "", 4, "3.22", 3332.87 / 1034.64, kFollows},
                   {"FP16", kSpeedup, "", 8, "4.23", 4380.66 / 1034.64, kFollows},
                   {"FP16", kSpeedup, "", 16, "6.15", 6358.43 / 1034.64, kFollows},
                   {"FP16", kSpeedup, "", 32, "10.2", 10633.22 / 1034.64, kCutOff},
               },
               11);
}

// 7230 / 975 = 7.415 and 2270 / 158 = 14.367 are within rounding of 7.41 and 14.36; 6580 / 2270 = 2.8987 is cut off.
TEST(ScalingTablesTest, SeResNext) {
  ExpectJudged("se_resnext.csv",
               {
                   {"DGX A100", kSpeedup, "TF32", 1, "1.00", 342 / 342.0, kFollows},
                   {"DGX A100", kSpeedup, "TF32", 8, "7.63", 2610 / 342.0, kFollows},
                   {"DGX A100", kSpeedup, "mixed precision", 1, "1.00", 975 / 975.0, kFollows},
                   {"DGX A100", kSpeedup, "mixed precision", 8, "7.41", 7230 / 975.0, kWithinRounding},
                   {"DGX A100", kSpeedup, "TF32 to mixed precision", 1, "2.86", 975 / 342.0, kWithinRounding},
                   {"DGX A100", kSpeedup, "TF32 to mixed precision", 8, "2.77", 7230 / 2610.0, kFollows},
                   {"DGX-1", kSpeedup, "FP32", 1, "1.00", 152 / 152.0, kFollows},
                   {"DGX-1", kSpeedup, "FP32", 8, "7.37", 1120 / 152.0, kFollows},
                   {"DGX-1", kSpeedup, "mixed precision", 1, "1.00", 475 / 475.0, kFollows},
                   {"DGX-1", kSpeedup, "mixed precision", 8, "7.07", 3360 / 475.0, kFollows},
                   {"DGX-1", kSpeedup, "FP32 to mixed precision", 1, "3.12", 475 / 152.0, kFollows},
                   {"DGX-1", kSpeedup, "FP32 to mixed precision", 8, "3.00", 3360 / 1120.0, kFollows},
                   {"DGX-2", kSpeedup, "FP32", 1, "1.00", 158 / 158.0, kFollows},
                   {"DGX-2", kSpeedup, "FP32", 16, "14.36", 2270 / 158.0, kWithinRounding},
                   {"DGX-2", kSpeedup, "mixed precision", 1, "1.00", 472 / 472.0, kFollows},
                   {"DGX-2", kSpeedup, "mixed precision", 16, "13.94", 6580 / 472.0, kFollows},
                   {"DGX-2", kSpeedup, "FP32 to mixed precision", 1, "2.98", 472 / 158.0, kCutOff},
                   {"DGX-2", kSpeedup, "FP32 to mixed precision", 16, "2.89", 6580 / 2270.0, kCutOff},
               },
               12);
}

TEST(ScalingTablesTest, Athena) {
  ExpectJudged("athena_las.csv",
               {
                   {"Text", kSpeedup, "", 4, "2.2", 121.409 / 54.507, kFollows},
               },
               8);
}

}  // namespace
}  // namespace lockstep::testing
