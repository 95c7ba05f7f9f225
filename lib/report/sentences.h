// Answers to the lab's questions: one template for each. Every claim names the fields that it was made from.
//
// Q1-Q7 are the lab's part A, B1-B5 its part B (weights: ranges, int8; activations: ranges, int8; bias). If no record
// holds the answer, the claim states what must be measured, and by which command.
#ifndef LOCKSTEP_LIB_REPORT_SENTENCES_H_
#define LOCKSTEP_LIB_REPORT_SENTENCES_H_

#include <cstddef>

#include "lib/lab_records/lab_records.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

inline constexpr size_t kLabQuestions = 12;

// Returns "answers": a claim for each question, in the order of the lab.
proto::Section AnswersSection(const LabRecords& lab);

// The templates, for tests.
proto::Claim AnswerQ1(const LabRecords& lab);
proto::Claim AnswerQ2(const LabRecords& lab);
proto::Claim AnswerQ3(const LabRecords& lab);
proto::Claim AnswerQ4(const LabRecords& lab);
proto::Claim AnswerQ5(const LabRecords& lab);
proto::Claim AnswerQ6(const LabRecords& lab);
proto::Claim AnswerQ7(const LabRecords& lab);
proto::Claim AnswerB1(const LabRecords& lab);
proto::Claim AnswerB2(const LabRecords& lab);
proto::Claim AnswerB3(const LabRecords& lab);
proto::Claim AnswerB4(const LabRecords& lab);
proto::Claim AnswerB5(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SENTENCES_H_
