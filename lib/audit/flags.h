// Short names of slips and their explanations in words, shared by the audit, its tests and its readers.
#ifndef LOCKSTEP_LIB_AUDIT_FLAGS_H_
#define LOCKSTEP_LIB_AUDIT_FLAGS_H_

#include "absl/strings/string_view.h"

namespace lockstep {

// Flags of a convention.
inline constexpr char kCountsNTwice[] = "counts_N_twice";
inline constexpr char kBaseIsNotOneDevice[] = "base_is_not_one_device";
inline constexpr char kInvertedSpeedup[] = "inverted_speedup";
inline constexpr char kMixedLoading[] = "with_and_without_loading_mixed";
inline constexpr char kComputeNotDividedByN[] = "compute_not_divided_by_N";
inline constexpr char kComputeIsWholeTime[] = "compute_is_whole_time";
inline constexpr char kComputationHoldsCommunication[] = "computation_holds_communication";
inline constexpr char kIterationsForgotten[] = "iterations_forgotten";
inline constexpr char kIterationsNotDividedByN[] = "iterations_not_divided_by_N";
inline constexpr char kTotalBatchTakenPerDevice[] = "total_batch_taken_per_device";
inline constexpr char kElementsNotBytes[] = "elements_not_bytes";
inline constexpr char kBitsNotBytes[] = "bits_not_bytes";
inline constexpr char kAllReduceFactorMissing[] = "allreduce_factor_missing";
inline constexpr char kOtherParameterCount[] = "parameter_count_not_the_claimed";
inline constexpr char kNotTheTrainedModel[] = "parameter_count_not_the_trained_model";
inline constexpr char kBatchCountedAsBytes[] = "batch_counted_as_bytes";
inline constexpr char kNotDividedByTime[] = "not_divided_by_time";
inline constexpr char kRatioCalledPercent[] = "ratio_called_percent";
inline constexpr char kGibAsGb[] = "GiB_as_GB";
inline constexpr char kTextClaimsGibPrintsGb[] = "text_claims_GiB_prints_GB";
inline constexpr char kOfOtherColumn[] = "of_another_column";
inline constexpr char kEfficiencyCalledSpeedup[] = "efficiency_called_speedup";
inline constexpr char kEfficiencyNotDividedByN[] = "efficiency_not_divided_by_N";
inline constexpr char kOfOtherDevices[] = "of_another_number_of_devices";
inline constexpr char kDividedByComputeTime[] = "divided_by_compute_time";
inline constexpr char kComputeShare[] = "compute_share_called_communication";
inline constexpr char kWholeTimeOverCommunication[] = "whole_time_over_communication";
inline constexpr char kInvertedRatio[] = "inverted_ratio";
inline constexpr char kPhaseLeftOut[] = "phase_left_out";
inline constexpr char kEfficiencyLossCalledSerial[] = "efficiency_loss_called_serial";
inline constexpr char kKarpFlattDenominatorMissing[] = "karp_flatt_denominator_missing";
inline constexpr char kParallelShare[] = "parallel_share_for_serial";
inline constexpr char kOtherLaw[] = "other_law_of_scaling";
inline constexpr char kAllReduceFactorOfMany[] = "allreduce_factor_of_many_devices";
inline constexpr char kMibAsMb[] = "MiB_as_MB";
inline constexpr char kMbAsMib[] = "MB_as_MiB";
inline constexpr char kDevicesLeftOut[] = "devices_left_out";
inline constexpr char kLostDigit[] = "lost_digit";
inline constexpr char kOtherScalingRule[] = "other_learning_rate_rule";
// Flags of the way in which a number was printed.
inline constexpr char kTruncatedDigits[] = "truncated_digits";
inline constexpr char kRoundedIntermediates[] = "rounded_intermediates";
inline constexpr char kInconsistentPrinting[] = "inconsistent_printing";
inline constexpr char kDiffersFromItsTable[] = "differs_from_its_table";
// Flags of implausible numbers, whatever their formula.
inline constexpr char kNegativeCommunication[] = "negative_communication";
inline constexpr char kPartsDoNotSum[] = "parts_do_not_sum";
inline constexpr char kTwoValuesOfOneQuantity[] = "two_values_of_one_quantity";
inline constexpr char kLoadingFasterThanWithout[] = "with_loading_faster_than_without";
inline constexpr char kRunShorterThanEpochs[] = "run_shorter_than_its_epochs";
inline constexpr char kClocks[] = "clocks_most_likely_not_synchronised";
inline constexpr char kWholeSecondClock[] = "whole_second_clock";
inline constexpr char kBatchBeyondTheData[] = "batch_beyond_the_data";
inline constexpr char kBatchNotAsLabelled[] = "batch_not_as_labelled";
inline constexpr char kLoaderWorkersDiffer[] = "loader_workers_differ";
inline constexpr char kNoOneDeviceTime[] = "no_one_device_time";
inline constexpr char kSuperlinearSpeedup[] = "superlinear_speedup";
inline constexpr char kEfficiencyAboveWhole[] = "efficiency_above_100_percent";
inline constexpr char kShareAboveWhole[] = "share_above_the_whole";
inline constexpr char kOverPeakWithIterations[] = "over_100_percent_with_iterations";

// Returns the meaning of a flag of the first two groups as the end of a sentence; empty for flags whose words need
// numbers.
absl::string_view FlagMeaning(absl::string_view flag);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_FLAGS_H_
