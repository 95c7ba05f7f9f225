#include "lib/checks/rules.h"

namespace lockstep {

const std::vector<CheckRule>& CheckRules() {
  constexpr bool kFails = true, kRemark = false, kRecords = true, kTables = true, kNo = false;
  static const auto& rules = *new std::vector<CheckRule>{
      {"flops_above_peak", "No device computes faster than its peak: the clock was read before the work was done.",
       kFails, kRecords, kTables},
      {"communication_in_compute",
       "What is called computing holds the all-reduce, so what is left over is not communication.", kFails, kRecords,
       kTables},
      {"bandwidth_not_derivable",
       "A bandwidth is the bytes of an epoch, all its iterations counted, over the communication time.", kFails,
       kRecords, kTables},
      {"base_not_divided_by_n", "Each of N devices computes 1/N of the epoch: T_1/N is to be taken off, not T_1.",
       kFails, kRecords, kTables},
      {"negative_communication", "A time below 0: the one-device time is not the computing time of N devices.", kFails,
       kRecords, kTables},
      {"loading_counted_as_communication",
       "T_N - T_1/N of times with data loading books the loader as communication; take times without it.", kFails,
       kRecords, kTables},
      {"with_loading_faster_than_without", "An epoch with data loading takes at least as long as without it.", kFails,
       kRecords, kTables},
      {"loading_mixed", "Times with and without data loading, or with other loaders, are not made into one number.",
       kFails, kNo, kTables},
      {"parts_do_not_sum", "The parts of a time add up to the whole, or to less where something is called other.",
       kFails, kRecords, kTables},
      {"batch_beyond_the_data", "A step holds at most the whole data set, so a larger batch was never trained.", kFails,
       kRecords, kTables},
      {"scaling_mislabelled",
       "With a fixed batch per device the work of a step grows with the devices (weak), that of an epoch does not "
       "(strong): say both.",
       kFails, kRecords, kTables},
      {"n_counted_twice", "An epoch is shared by the N devices already: N * T_1 / T_N counts N twice.", kFails, kNo,
       kTables},
      {"gib_as_gb", "GB is 1e9 bytes; 2^30 bytes are a GiB, 7.4 % more.", kFails, kRecords, kTables},
      {"link_peak_assumed", "More than the link can carry: its peak, or the communication time, is wrong.", kFails,
       kRecords, kTables},
      {"base_case_of_another_machine", "A speed-up is the time of one device over that of N of the same machine.",
       kFails, kRecords, kNo},
      {"one_run_only", "One measurement has no spread, so no difference can be told from chance.", kFails, kRecords,
       kNo},
      {"warmup_in_the_mean", "The first epoch holds what is done once; it is no part of the mean.", kFails, kRecords,
       kNo},
      {"estimates_among_measurements", "A modelled or estimated number stands where measured ones do.", kFails,
       kRecords, kTables},
      {"faster_than_the_link", "The all-reduces of the steps took less than half the time that each takes alone.",
       kFails, kRecords, kNo},
      {"number_not_reproducible", "No formula makes this number of those that are printed.", kFails, kNo, kTables},
      {"number_of_another_place", "The number is made of those of another row or column.", kFails, kNo, kTables},
      {"speedup_formula", "A speed-up is the time of one device over that of N.", kFails, kNo, kTables},
      {"wrong_model_size", "The parameters counted are not those of the model that was trained.", kFails, kNo, kTables},
      {"whole_second_clock", "A clock of whole seconds is wrong by per cents of a short epoch.", kFails, kNo, kTables},
      {"sum_check_failed", "The ranks did not train on the sum of their gradients.", kFails, kRecords, kNo},
      {"wrong_orders", "The order of the images is not what the sampler was told.", kFails, kRecords, kNo},
      {"wrong_bytes", "The gradients sent are not those of the model.", kFails, kRecords, kNo},
      {"build_not_optimised", "Times of a build without optimisation are no results.", kFails, kRecords, kNo},
      {"records_of_strangers", "One record was not made from the other that it is shown with.", kFails, kRecords, kNo},
      {"two_values_of_one_quantity", "A quantity is printed twice with different values.", kRemark, kNo, kTables},
      {"no_one_device_time", "Without a time of one device there is no speed-up.", kRemark, kNo, kTables},
      {"digits_lost", "Digits were cut off, or intermediates rounded, before a number was made of them.", kRemark, kNo,
       kTables},
      {"images_unknown", "Which images were used is not said.", kRemark, kRecords, kNo},
      {"synthetic_images", "Losses and accuracies say nothing of CIFAR-10.", kRemark, kRecords, kNo},
      {"images_not_official", "Not the whole official data set.", kRemark, kRecords, kNo},
      {"build_without_commit", "The program that measured cannot be found again.", kRemark, kRecords, kNo},
      {"not_finished", "A run ended early.", kRemark, kRecords, kNo},
      {"another_checksum", "A record was changed since its JSON was written, or is of another version.", kRemark,
       kRecords, kNo},
      {"several_machines", "Records of different machines stand beside each other.", kRemark, kRecords, kNo},
      {"device_throttled", "The device was held back while it was measured.", kRemark, kRecords, kNo},
      {"noisy_machine", "Other work ran on the machine while it was measured.", kRemark, kRecords, kNo},
      {"shared_cpu", "Ranks that share a CPU are no devices.", kRemark, kRecords, kNo},
      {"normalization_assumed", "The weights do not say how the images of their training were normalized.", kRemark,
       kRecords, kNo},
      {"seeds_missing", "A row of an experiment lacks a seed.", kRemark, kRecords, kNo},
      {"records_left_out", "A file holds more than was looked at.", kRemark, kRecords, kNo},
  };
  return rules;
}

const CheckRule* FindCheckRule(absl::string_view name) {
  for (const CheckRule& rule : CheckRules()) {
    if (name == rule.name) {
      return &rule;
    }
  }
  return nullptr;
}

}  // namespace lockstep
