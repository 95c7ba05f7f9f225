// LabRequest and LabFacts: the user's wishes and the facts about data and machine from which a lab is planned.
#ifndef LOCKSTEP_LIB_LAB_LAB_REQUEST_H_
#define LOCKSTEP_LIB_LAB_LAB_REQUEST_H_

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

// Values of the lab's flags.
struct LabRequest {
  std::string input;  // CIFAR-10 as cifar_prep reads it; empty: synthetic images
  std::string output = "lockstep_lab";
  std::string model;                      // empty: resnet18 on GPUs, lenet5 on a CPU
  std::string device = "auto";            // auto, cpu or cuda
  std::vector<uint32_t> batches;          // images per device and step; empty: chosen by the plan
  uint32_t images = 0;                    // synthetic training images; 0: 50,000 on GPUs, less on a CPU
  uint32_t repeats = 0;                   // timed epochs per point; 0: chosen by the plan
  uint32_t seeds = 0;                     // seeds per row of an experiment; 0: chosen by the plan
  uint32_t calibration_images = 0;        // 0: 400, or all images if there are fewer
  double minutes = 0;                     // budget; 0: 8 on GPUs, 3 on a CPU
  bool all_questions = false;             // true: experiments are run even if they exceed the budget
  bool force = false;                     // true: every step is run again
  bool allow_partial = false;             // true: --input may be a part of CIFAR-10
  std::vector<std::string> report_flags;  // flags of the report: "--style=lab"
};

// Facts about the machine and the data set.
struct LabFacts {
  uint32_t gpus = 0;                   // GPUs that the lab may use; 0: it runs on the CPU
  bool has_bf16 = false;               // true if the GPUs' tensor cores support bf16, which the fast preset needs
  uint32_t cpu_threads = 1;            // threads of each rank on a CPU: half of the cores
  double cpu_speed = 1;                // speed of the CPU as a multiple of the one in the table of costs (lab_costs.h)
  uint32_t train_images = 0;           // images of the data set
  uint32_t test_images = 0;            // images of the data set
  std::vector<std::string> published;  // paths of the published tables that the audit recomputes
};

// Returns the model of the lab's tables.
std::string ModelOf(const LabRequest& request, const LabFacts& facts);

// Returns the number of synthetic training images. A fourth as many test images are made.
uint32_t SyntheticImages(const LabRequest& request, const LabFacts& facts);

// Returns the budget in seconds.
double BudgetSeconds(const LabRequest& request, const LabFacts& facts);

// Returns the numbers of ranks that are compared: 1, 2, 4 and 8 as far as there are GPUs; 1 and 2 on a CPU.
std::vector<uint32_t> RanksOf(const LabFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_REQUEST_H_
