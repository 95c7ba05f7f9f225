// Parts of a run over one or several networks: the place of each part in the run, and the estimated time of the parts
// after it, for the progress bars.
#ifndef LOCKSTEP_LIB_QUANTIZE_RUN_PARTS_H_
#define LOCKSTEP_LIB_QUANTIZE_RUN_PARTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/base/progress.h"
#include "lib/base/stopwatch.h"

namespace lockstep {

// Not thread-safe.
class RunParts {
 public:
  // Adds a part that follows those added before. `passes`: forward passes of one image, to which the part's time is
  // assumed proportional.
  void Expect(std::string label, double passes);

  // Begins the next part with this label; the parts between the last one and this one are left out. `elapsed`: seconds
  // since the first part began. Returns "part 2 of 7: " and the label, with the time of the parts after this one, which
  // is unknown for the first part. A part that is not expected has no place,
  // and its later time is unknown.
  ProgressPart Begin(const std::string& label, double elapsed);

  // Does the same with the seconds since construction.
  ProgressPart Begin(const std::string& label) { return Begin(label, watch_.Seconds()); }

 private:
  struct Part {
    std::string label;
    double passes;
  };
  double PassesFrom(size_t part) const;

  std::vector<Part> parts_;
  size_t next_ = 0;         // first part that has not begun
  double done_passes_ = 0;  // passes of the parts that have ended
  double passes_ = 0;       // passes of the part that has begun
  Stopwatch watch_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_RUN_PARTS_H_
