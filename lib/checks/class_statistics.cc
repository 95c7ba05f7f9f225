#include "lib/checks/class_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/checks/class_text.h"
#include "lib/report/sentences.h"

namespace lockstep {
namespace {

double Quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void AddFigure(const std::string& name, const std::vector<double>& values, proto::Table& table) {
  if (values.empty()) {
    return;
  }
  const Quartiles quartiles = QuartilesOf(values);
  const auto number = [](double value) { return absl::StrFormat("%.3g", value); };
  AddTextRow({name, absl::StrCat(values.size()), number(*absl::c_min_element(values)), number(quartiles.first),
              number(quartiles.median), number(quartiles.third), number(*absl::c_max_element(values))},
             table);
}

}  // namespace

Quartiles QuartilesOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {Quantile(values, 0.25), Quantile(values, 0.5), Quantile(values, 0.75)};
}

proto::Table FiguresTable(const std::vector<ClassStudent>& students) {
  proto::Table table =
      TextTable("figures", "Main figures",
                {"figure", "students", "lowest", "first quartile", "median", "third quartile", "highest"});
  std::vector<double> epochs, answered;
  std::map<uint64_t, std::vector<double>> speedups;  // speed-ups by number of devices
  for (const ClassStudent& student : students) {
    answered.push_back(static_cast<double>(student.answered.size()));
    if (student.fastest_epoch.has_value()) {
      epochs.push_back(*student.fastest_epoch);
    }
    if (student.best_speedup.has_value()) {
      speedups[student.best_speedup->devices].push_back(student.best_speedup->value);
    }
  }
  AddFigure("answered questions", answered, table);
  AddFigure("fastest epoch on one device (s)", epochs, table);
  for (const auto& [devices, values] : speedups) {
    AddFigure(absl::StrCat("best speed-up, on ", devices, " devices"), values, table);
  }
  return table;
}

proto::Table AnsweredTable(const std::vector<ClassStudent>& students) {
  proto::Table table = TextTable("answered", "Answered questions", {"question", "asked", "students"});
  const proto::Section questions = AnswersSection({});
  for (const proto::Claim& claim : questions.claim()) {
    const auto count = [&](const std::vector<std::string> ClassStudent::*questions) {
      return absl::c_count_if(students, [&](const ClassStudent& student) {
        return absl::c_linear_search(student.*questions, claim.question());
      });
    };
    const auto partly = count(&ClassStudent::partly);
    AddTextRow({claim.question(), claim.asked(),
                absl::StrCat(count(&ClassStudent::answered), " of ", students.size(),
                             partly > 0 ? absl::StrCat(", ", partly, " partly") : "")},
               table);
  }
  return table;
}

}  // namespace lockstep
