// A scaling run that takes seconds. Test-only.
#ifndef LOCKSTEP_LIB_SCALE_RUN_SMALL_SCALE_RUN_TESTING_H_
#define LOCKSTEP_LIB_SCALE_RUN_SMALL_SCALE_RUN_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/proto/scale.pb.h"
#include "lib/record/record_reader.h"
#include "lib/scale_run/scale_run_options.h"

namespace lockstep::testing {

inline constexpr uint32_t kSmallRunImages = 41;  // odd: two ranks need one image of padding

// Writes a data set to disk and returns options for lenet5 on the CPU, with one warm-up epoch and one timed epoch.
ScaleRunOptions SmallScaleRun(const std::vector<uint32_t>& ranks, uint32_t batch, uint32_t images = kSmallRunImages);

// Returns the points of a record that begins with its spec. Returns an empty list and reports a test failure if there
// is no such record.
std::vector<proto::ScalePoint> ScalePoints(const std::string& path, ReadMode mode = ReadMode::kStrict);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_SCALE_RUN_SMALL_SCALE_RUN_TESTING_H_
