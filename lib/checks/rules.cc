#include "lib/checks/rules.h"

#include "absl/strings/str_cat.h"

namespace lockstep {

const std::vector<CheckRule>& CheckRules() {
  constexpr bool kFails = true, kRemark = false, kRecords = true, kTables = true, kNo = false;
  static const auto& rules = *new std::vector<CheckRule>{
      {"flops_above_peak", "No device computes faster than its peak: the clock was read before the work was done.",
       kFails, kRecords, kTables},
      {"communication_in_compute", "The computing time includes the all-reduce, so the rest is not communication.",
       kFails, kRecords, kTables},
      {"bandwidth_not_derivable", "A bandwidth is the bytes of all iterations of an epoch / its communication time.",
       kFails, kRecords, kTables},
      {"base_not_divided_by_n", "Each of N devices computes 1/N of the epoch: subtract T_1/N, not T_1.", kFails,
       kRecords, kTables},
      {"negative_communication", "A time is below 0: the one-device time is not the computing time of N devices.",
       kFails, kRecords, kTables},
      {"loading_counted_as_communication",
       "T_N - T_1/N of times with data loading counts the loader as communication; use times without it.", kFails,
       kRecords, kTables},
      {"with_loading_faster_than_without", "An epoch with data loading takes at least as long as one without.", kFails,
       kRecords, kTables},
      {"loading_mixed", "Times with and without data loading, or with different loaders, must not be combined.", kFails,
       kNo, kTables},
      {"parts_do_not_sum", "The parts of a time must add up to the whole, or to less if one part is called other.",
       kFails, kRecords, kTables},
      {"batch_beyond_the_data", "A step holds at most the whole data set, so a larger batch was never trained.", kFails,
       kRecords, kTables},
      {"scaling_mislabelled",
       "With a fixed batch per device, the work of a step grows with the devices (weak scaling) and that of an epoch "
       "does not (strong): state both.",
       kFails, kRecords, kTables},
      {"n_counted_twice", "An epoch is shared by the N devices already: N * T_1 / T_N counts N twice.", kFails, kNo,
       kTables},
      {"gib_as_gb", "A GB is 1e9 bytes; a GiB is 2^30 bytes, 7.4 % more.", kFails, kRecords, kTables},
      {"link_peak_assumed", "The bandwidth exceeds the link: the link's peak or the communication time is wrong.",
       kFails, kRecords, kTables},
      {"base_case_of_another_machine", "A speed-up is the time of one device over that of N of the same machine.",
       kFails, kRecords, kNo},
      {"one_run_only", "One measurement has no spread, so any difference may be chance.", kFails, kRecords, kNo},
      {"warmup_in_the_mean", "The first epoch includes one-time work; leave it out of the mean.", kFails, kRecords,
       kNo},
      {"estimates_among_measurements", "A modelled or estimated number is shown among measured ones.", kFails, kRecords,
       kTables},
      {"faster_than_the_link", "The all-reduces of the steps took less than half the time that each takes alone.",
       kFails, kRecords, kNo},
      {"number_not_reproducible",
       "No formula gives this number from the printed ones as they are. If a lost digit is named, a formula gives the "
       "number after that digit is restored.",
       kFails, kNo, kTables},
      {"number_of_another_place", "The number is computed from another row or column.", kFails, kNo, kTables},
      {"speedup_formula", "A speed-up is the time of one device over that of N.", kFails, kNo, kTables},
      {"wrong_model_size", "The number of parameters is not that of the trained model.", kFails, kNo, kTables},
      {"whole_second_clock", "A clock of whole seconds is off by some per cent for a short epoch.", kFails, kNo,
       kTables},
      {"sum_check_failed", "The ranks did not train on the sum of their gradients.", kFails, kRecords, kNo},
      {"wrong_orders", "The order of the images differs from the sampler's settings.", kFails, kRecords, kNo},
      {"wrong_bytes", "The bytes of gradients sent differ from the model's.", kFails, kRecords, kNo},
      {"build_not_optimised", "The build was not optimised; do not use its times.", kFails, kRecords, kNo},
      {"records_of_strangers", "One record was not made from the other record of the report.", kFails, kRecords, kNo},
      {"two_values_of_one_quantity", "A quantity is printed twice with different values.", kRemark, kNo, kTables},
      {"no_one_device_time", "A speed-up needs a time of one device.", kRemark, kNo, kTables},
      {"digits_lost", "Digits were cut off, or intermediate results rounded, before the number was computed.", kRemark,
       kNo, kTables},
      {"images_unknown", "The images are not known.", kRemark, kRecords, kNo},
      {"synthetic_images", "The images are synthetic: losses and accuracies do not apply to CIFAR-10.", kRemark,
       kRecords, kNo},
      {"images_not_official", "The images are not the whole official data set.", kRemark, kRecords, kNo},
      {"build_without_commit", "No commit describes the program that measured.", kRemark, kRecords, kNo},
      {"not_finished", "A run ended early.", kRemark, kRecords, kNo},
      {"another_checksum", "A record was changed after its JSON was written, or is from another version.", kRemark,
       kRecords, kNo},
      {"several_machines", "Records of different machines are shown together.", kRemark, kRecords, kNo},
      {"times_of_different_runs", "One rank and N ranks were measured in different runs.", kRemark, kRecords, kNo},
      {"speedup_above_ranks",
       "N devices were more than N times as fast as one. This is possible if a part of the data fits into a cache or "
       "if "
       "the base is slow; it may also be a slip.",
       kRemark, kRecords, kTables},
      {"device_throttled", "The device was throttled during the measurement.", kRemark, kRecords, kNo},
      {"noisy_machine", "Other work ran on the machine during the measurement.", kRemark, kRecords, kNo},
      {"shared_cpu", "The ranks share a CPU, so they do not stand for devices.", kRemark, kRecords, kNo},
      {"virtual_hosts", "Several hosts were simulated on one machine, so no network was measured.", kRemark, kRecords,
       kNo},
      {"normalization_assumed", "The weights do not record how their training images were normalized.", kRemark,
       kRecords, kNo},
      {"seeds_missing", "A row of an experiment has fewer seeds than requested.", kRemark, kRecords, kNo},
      {"records_left_out", "A file has more records than were checked.", kRemark, kRecords, kNo},
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

std::string FindingText(const CheckFinding& finding) {
  return absl::StrCat(
      finding.text, finding.others.empty() ? "" : absl::StrCat(" And ", finding.others.size(), " more of this table."));
}

}  // namespace lockstep
