// How judgements are written down.
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
                const std::string& what, const std::string& mend = "", const UseKinds& needed_for = {});

// What needs a GPU that is asked for: training and scaling with --device=cuda, nothing otherwise, since the tools then
// take the CPU.
UseKinds NeedsGpu(const DoctorRequest& request);

// Null when the probe answered whole.
const proto::ProbeEnd* FindBadEnd(const proto::MachineFacts& facts, absl::string_view probe);

// "hung in cuInit", "crashed in dlopen of libtorch_cpu.so (signal 7)"
std::string DescribeEnd(const proto::ProbeEnd& end);

// "141 GB", "512 MB": decimal, as disks and GPUs are sold, with three digits at most.
std::string ShowBytes(double bytes);

// "13.0" from 13000.
std::string ShowCudaVersion(uint32_t version);

// {2, 11} from "2.11.0+cu130". A part that is missing or no number is 0.
std::pair<int, int> MajorAndMinor(absl::string_view version);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_FINDINGS_H_
