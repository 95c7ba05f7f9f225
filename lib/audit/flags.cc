#include "lib/audit/flags.h"

namespace lockstep {
namespace {

struct Meaning {
  const char* flag;
  const char* words;
};

constexpr Meaning kMeanings[] = {
    {kCountsNTwice, "an epoch is shared by the N devices already, so multiplying by N counts N twice"},
    {kBaseIsNotOneDevice, "the base case is not one device, so this is not a speed-up over one device"},
    {kInvertedSpeedup, "the quotient is inverted"},
    {kMixedLoading, "one time includes data loading and the other does not"},
    {kComputeNotDividedByN, "the one-device time is not divided by N, though each device does 1/N of the work"},
    {kComputeIsWholeTime, "the whole time of N devices is used as computing time, so communication is counted in both"},
    {kComputationHoldsCommunication,
     "the document's 'computation' is the time of N devices, so it holds the communication that is taken out of it "
     "here"},
    {kIterationsForgotten, "the bytes are those of one iteration, the time is that of a whole epoch"},
    {kIterationsNotDividedByN, "iterations are counted as if one device did all of them"},
    {kTotalBatchTakenPerDevice, "the batch is the total over devices already, and is multiplied by N once more"},
    {kElementsNotBytes, "elements are counted where bytes should be"},
    {kBitsNotBytes, "bits are counted where bytes should be"},
    {kAllReduceFactorMissing, "the factor 2(N-1)/N of an all-reduce is missing"},
    {kOtherParameterCount, "the number of parameters is not the one that the document states"},
    {kNotTheTrainedModel, "this many parameters are not those of the model that was trained"},
    {kBatchCountedAsBytes, "the batch is used in place of the bytes of the gradient"},
    {kNotDividedByTime, "it is not divided by a time, so it is not a bandwidth"},
    {kRatioCalledPercent, "a quotient of two times is printed as percent"},
    {kGibAsGb, "the unit is 2^30 bytes, which is GiB and not GB, and the document does not say so"},
    {kTextClaimsGibPrintsGb, "the text says 2^30 bytes, the number is in units of 1e9 bytes"},
    {kOfOtherDevices, "the value belongs to another number of devices"},
    {kOfOtherColumn, "it is computed from another column than its label states"},
    {kEfficiencyCalledSpeedup, "it is divided by N, which makes it an efficiency"},
    {kEfficiencyNotDividedByN, "the speed-up is not divided by N"},
    {kDividedByComputeTime, "the share is of the computing time, not of the whole time"},
    {kComputeShare, "it is the share of computing, not of communication"},
    {kWholeTimeOverCommunication, "the whole time is divided by the communication time, not the computing time"},
    {kInvertedRatio, "the ratio is inverted"},
    {kPhaseLeftOut, "the total is the sum of the phases without one of them"},
    {kEfficiencyLossCalledSerial, "it is 1 - efficiency, which is not a serial share"},
    {kKarpFlattDenominatorMissing, "the division by 1 - 1/N is missing"},
    {kParallelShare, "the parallel share is used where the serial share should be"},
    {kOtherLaw, "it follows the other law: Gustafson's instead of Amdahl's, or the reverse"},
    {kAllReduceFactorOfMany, "the factor is 2, the limit for many devices, instead of 2(N-1)/N"},
    {kMibAsMb, "the unit is 2^20 bytes, which is MiB and not MB"},
    {kMbAsMib, "the unit is 1e6 bytes, which is MB and not MiB"},
    {kDevicesLeftOut, "it grows with the batch of one device, and the number of devices is left out"},
    {kLostDigit, "one digit of a time was left out when it was typed"},
    {kOtherScalingRule, "it follows another rule than the document states"},
    {kTruncatedDigits, "the digits are cut off, not rounded"},
    {kRoundedIntermediates, "it was computed from an intermediate already rounded for print"},
};

}  // namespace

absl::string_view FlagMeaning(absl::string_view flag) {
  for (const Meaning& meaning : kMeanings) {
    if (flag == meaning.flag) {
      return meaning.words;
    }
  }
  return "";
}

}  // namespace lockstep
