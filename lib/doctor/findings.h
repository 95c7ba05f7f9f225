// Helpers that write findings.
#ifndef LOCKSTEP_LIB_DOCTOR_FINDINGS_H_
#define LOCKSTEP_LIB_DOCTOR_FINDINGS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "lib/doctor/examination.pb.h"
#include "lib/doctor/request.h"

namespace lockstep {

using FindingList = google::protobuf::RepeatedPtrField<proto::DoctorFinding>;

void AddFinding(FindingList& findings, const std::string& area, proto::DoctorFinding::State state,
                const std::string& what, const std::string& remedy = "", const UseKinds& needed_for = {});

// Returns the uses that need the requested GPU: training and scaling with --device=cuda; otherwise no uses, because the
// tools then fall back to the CPU.
UseKinds NeedsGpu(const DoctorRequest& request);

// Returns the end of a probe without a complete answer; null if the answer is complete.
const proto::ProbeEnd* FindBadEnd(const proto::MachineFacts& facts, absl::string_view probe);

// Returns "hung in cuInit" or "crashed in dlopen of libtorch_cpu.so (signal 7)".
std::string DescribeEnd(const proto::ProbeEnd& end);

// Returns "141 GB" or "512 MB": decimal, like the sizes of disks and GPUs, with at most three digits.
std::string ShowBytes(double bytes);

// Returns "13.0" for 13000.
std::string ShowCudaVersion(uint32_t version);

// Returns {2, 11} for "2.11.0+cu130". A part that is missing or not a number is 0.
std::pair<int, int> MajorAndMinor(absl::string_view version);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_FINDINGS_H_
