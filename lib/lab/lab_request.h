// LabRequest and LabFacts: the user's wishes and the facts about data and machine from which a lab is planned.
#ifndef LOCKSTEP_LIB_LAB_LAB_REQUEST_H_
#define LOCKSTEP_LIB_LAB_LAB_REQUEST_H_

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

// Values of the lab's flags.
struct LabRequest {
  std::string input;  // data set as cifar_prep reads it, or a record of cifar_prep; empty: synthetic images
  std::string output = "lockstep_lab";
  std::string model;                      // empty: resnet18 on GPUs, lenet5 on a CPU
  std::string device = "auto";            // auto, cpu or cuda
  std::vector<uint32_t> batches;          // images per device and step; empty: chosen by the plan
  uint32_t images = 0;                    // synthetic training images; 0: 50,000 on GPUs, less on a CPU
  uint32_t repeats = 0;                   // timed epochs per point; 0: chosen by the plan
  uint32_t seeds = 0;                     // seeds per row of an experiment; 0: chosen by the plan
  uint32_t calibration_images = 0;        // 0: 400, or all images if there are fewer
  double minutes = 0;                     // budget; 0: not given, 8 on GPUs, 3 on a CPU
  bool all_questions = false;             // true: experiments are run even if they exceed the budget
  bool force = false;                     // true: every step is run again
  bool allow_partial = false;             // true: --input may be a part of CIFAR-10 or CIFAR-100
  std::vector<std::string> report_flags;  // flags of the report: "--style=lab"
};

// Facts about the machine and the data set. The defaults of classes and pixels are those of CIFAR-10.
struct LabFacts {
  uint32_t gpus = 0;          // GPUs that the lab may use; 0: it runs on the CPU
  bool has_bf16 = false;      // true if the GPUs' tensor cores support bf16, which the fast preset needs
  uint32_t cpu_threads = 1;   // threads of each rank on a CPU: half of the cores
  double cpu_speed = 1;       // speed of the CPU as a multiple of the one in the table of costs (lab_costs.h)
  uint32_t train_images = 0;  // images of the data set
  uint32_t test_images = 0;   // images of the data set
  uint32_t classes = 10;      // classes of the data set
  uint32_t height = 32;       // height and width in pixels of each image of the data set
  uint32_t width = 32;
  std::string why_assumed;             // reason why the numbers of the data set are assumed; empty: they were read
  std::vector<std::string> published;  // paths of the published tables that the audit recomputes
};

// Returns true if --input is a record of cifar_prep, which the lab uses as it is: if its name ends in ".rec".
bool InputIsRecord(const LabRequest& request);

// Returns true if the images of the data set are large enough for the model, which must be one of --model.
bool FitsImages(const std::string& model, const LabFacts& facts);

// Returns "100 classes of 64x64 pixels", height first.
std::string ShapeText(const LabFacts& facts);

// Returns the model that a CPU trains fast: lenet5, or resnet18 if the images are too small for lenet5.
std::string SmallModel(const LabFacts& facts);

// Returns the model of the lab's tables.
std::string ModelOf(const LabRequest& request, const LabFacts& facts);

// Return the number of synthetic training images, and the number of test images that are made for them.
uint32_t SyntheticImages(const LabRequest& request, const LabFacts& facts);
uint32_t SyntheticTestImages(uint32_t train_images);

// Returns the budget in seconds.
double BudgetSeconds(const LabRequest& request, const LabFacts& facts);

// Returns the numbers of ranks that are compared: 1, 2, 4 and 8 as far as there are GPUs; 1 and 2 on a CPU.
std::vector<uint32_t> RanksOf(const LabFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_REQUEST_H_
