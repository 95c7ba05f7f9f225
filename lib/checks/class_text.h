// Texts of the page of a class, shortened: a student can write texts of any length and any number of mistakes.
#ifndef LOCKSTEP_LIB_CHECKS_CLASS_TEXT_H_
#define LOCKSTEP_LIB_CHECKS_CLASS_TEXT_H_

#include <string>
#include <vector>

#include "lib/checks/student_folder.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the beginning of a text as UTF-8, cut between characters, with "..." if there is more.
std::string Shortened(const std::string& text);

// Returns the first lines, shortened, separated by semicolons, with the number of the others.
std::string ShortenedLines(const std::vector<std::string>& lines);

// Returns "FILE: REASON; REMEDY".
std::string UnreadText(const UnreadFile& file);

// Appends a row with these texts.
void AddTextRow(const std::vector<std::string>& texts, proto::Table& table);

// Returns an empty table.
proto::Table TextTable(const std::string& id, const std::string& caption, const std::vector<std::string>& columns);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CHECKS_CLASS_TEXT_H_
