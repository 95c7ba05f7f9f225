// Record of a run on GPUs, or a part of it, as an input of tests.
#ifndef LOCKSTEP_LIB_COMM_MODEL_RECORDED_SCALE_TESTING_H_
#define LOCKSTEP_LIB_COMM_MODEL_RECORDED_SCALE_TESTING_H_

#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "lib/proto/scale.pb.h"
#include "lib/record/framed_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {

// Writes the records of `source` that `keep` keeps, which it may change, to the test's file `name`, and returns its
// path. The test needs //benchmarks:results as data. The default source is a run on up to four H200s.
inline std::string WriteRecordedScale(const std::string& name, const std::function<bool(proto::ScaleRecord&)>& keep,
                                      const std::string& source = "2026-11-21-h200x4-fp32/scale.rec") {
  proto::ScaleFile file, kept;
  EXPECT_TRUE(file.ParseFromString(ReadFile("benchmarks/results/" + source)));
  for (proto::ScaleRecord& record : *file.mutable_record()) {
    if (keep(record)) {
      *kept.add_record() = record;
    }
  }
  const std::string path = TempPath(name);
  WriteFile(path, FramedRecords(kept));
  return path;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_COMM_MODEL_RECORDED_SCALE_TESTING_H_
