// The content of the LaTeX document, and a check that pdflatex compiles it without a warning.
#include "lib/page/latex.h"

#include <sys/stat.h>

#include <cstdlib>
#include <regex>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/page/latex_hand_in.h"
#include "lib/plot/gnuplot.h"
#include "lib/report/arrange.h"
#include "lib/summary/page_head.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Folder() {
  const std::string folder = TempPath("latex");
  mkdir(folder.c_str(), 0755);
  return folder;
}

bool IsInstalled(const char* program) {
  return std::system(absl::StrCat("command -v ", program, " >/dev/null 2>&1").c_str()) == 0;
}

// Runs pdflatex twice and returns its second log. Fonts that pdflatex has to make go into the folder.
std::string Compile(const std::string& folder) {
  const std::string command = absl::StrCat("cd ", folder, " && TEXMFVAR=", folder,
                                           "/fonts pdflatex -interaction=nonstopmode -halt-on-error r.tex");
  EXPECT_EQ(std::system(absl::StrCat(command, " >/dev/null && ", command, " >/dev/null").c_str()), 0)
      << ReadFile(folder + "/r.log");
  return ReadFile(folder + "/r.log");
}

// Returns the lines of the log that contain a warning.
std::string Complaints(const std::string& log) {
  std::string complaints;
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    for (const char* word :
         {"Warning:", "warning:", "warning (", "Overfull", "Underfull", "Missing character", "undefined"}) {
      if (line.find(word) != absl::string_view::npos) {
        absl::StrAppend(&complaints, line, "\n");
        break;
      }
    }
  }
  return complaints;
}

void WriteReport(const std::string& folder, const LatexReport& report) {
  for (const LatexPiece& piece : report.pieces) {
    WriteFile(absl::StrCat(folder, "/", piece.file), piece.text);
  }
  WriteFile(folder + "/r.tex", report.document);
}

proto::Section Hostile() {
  std::string text;
  for (int c = 1; c < 256; ++c) {
    text += static_cast<char>(c);
  }
  absl::StrAppend(&text, " \\input{/etc/passwd} $<b>_% ^^41 --- `` '' ?` !` 中文 ± µ ÿ ", std::string(40, 'W'));
  proto::Section section;
  section.set_id("hostile");
  section.set_title(text);
  section.add_warning(text);
  section.add_paragraph(text);
  proto::Claim& claim = *section.add_claim();
  claim.set_question("Q1");
  claim.set_asked(text);
  claim.set_text(text);
  claim.add_source(text);
  proto::Table& table = *section.add_table();
  table.set_caption(text);
  table.add_note(text);
  for (int i = 0; i < 4; ++i) {
    table.add_column(text.substr(static_cast<size_t>(i) * 50, 90));
  }
  for (int i = 0; i < 60; ++i) {
    proto::Row& row = *table.add_row();
    for (int j = 0; j < 4; ++j) {
      row.add_cell()->set_text(j == 0 ? "[a]*" : text.substr(0, static_cast<size_t>(i * j + 1)));
    }
  }
  return section;
}

TEST(LatexTest, TablesArePiecesOrStandInTheDocument) {
  const LatexReport pieces = RenderLatex({"On $<b>_%", "", ""}, {Hostile()}, {}, "r");
  ASSERT_EQ(pieces.pieces.size(), 1u);
  EXPECT_EQ(pieces.pieces[0].file, "r.hostile-table1.tex");
  EXPECT_THAT(pieces.document, AllOf(HasSubstr("\\input{r.hostile-table1.tex}"), HasSubstr("On \\$\\textless{}b")));
  const LatexReport whole = RenderLatex({}, {Hostile()}, {}, "");
  EXPECT_TRUE(whole.pieces.empty());
  EXPECT_THAT(whole.document, AllOf(HasSubstr("\\label{tab:hostile-table1}"), Not(HasSubstr("\\input{"))));
}

TEST(LatexTest, APlotThatWasNotDrawnReportsWhy) {
  proto::Section section = Hostile();
  section.add_plot()->set_id("p");
  EXPECT_THAT(RenderLatex({}, {section}, {{"p", {"", "", "gnuplot is not installed"}}}, "").document,
              HasSubstr("gnuplot is not installed"));
  EXPECT_THAT(RenderLatex({}, {section}, {{"p", {"", "r.p.pdf", ""}}}, "").document, HasSubstr("{r.p.pdf}"));
}

TEST(LatexTest, HostileTextCompilesWithoutAWarning) {
  if (!IsInstalled("pdflatex")) {
    GTEST_SKIP() << "pdflatex is not installed (apt-get install texlive-latex-recommended)";
  }
  const std::string folder = Folder();
  WriteReport(folder, RenderLatex({"On $<b>_%", "", ""}, {Hostile()}, {}, "r"));
  EXPECT_EQ(Complaints(Compile(folder)), "");
}

TEST(LatexTest, TheSmallLabCompilesWithoutAWarning) {
  if (!IsInstalled("pdflatex")) {
    GTEST_SKIP() << "pdflatex is not installed (apt-get install texlive-latex-recommended)";
  }
  const std::string folder = Folder();
  const auto lab = ReadLabRecords(lockstep::testing::WriteSmallLab(folder));
  ASSERT_THAT(lab, IsOk());
  for (const PageStyle style : {PageStyle::kGiven, PageStyle::kLab}) {
    const ReportPages pages = ArrangePages(*lab, style);
    DrawnPlots plots;
    for (const proto::Section& section : pages.page) {
      for (const proto::Plot& plot : section.plot()) {
        const absl::StatusOr<std::string> pdf = std::move(DrawPdfPlots({&plot}).front());
        const std::string file = absl::StrCat("r.", plot.id(), ".pdf");
        if (pdf.ok()) {
          WriteFile(absl::StrCat(folder, "/", file), *pdf);
        }
        plots[plot.id()] = {"", pdf.ok() ? file : "", std::string(pdf.status().message())};
      }
    }
    WriteReport(folder, RenderLatex({ReportTitle(*lab), "A. Student", "1 May 2026"}, pages.page, plots, "r"));
    EXPECT_EQ(Complaints(Compile(folder)), "");
    WriteReport(folder, RenderLatex({"Audit", "", ""}, pages.audit, {}, "r"));
    EXPECT_EQ(Complaints(Compile(folder)), "");
  }
}

TEST(LatexTest, TheHandInCompilesWithoutAWarningAndHasAtMostFourPages) {
  if (!IsInstalled("pdflatex")) {
    GTEST_SKIP() << "pdflatex is not installed (apt-get install texlive-latex-recommended)";
  }
  const std::string folder = Folder();
  const auto lab = ReadLabRecords(lockstep::testing::WriteSmallLab(folder));
  ASSERT_THAT(lab, IsOk());
  for (const PageStyle style : {PageStyle::kGiven, PageStyle::kLab}) {
    const ReportPages pages = ArrangePages(*lab, style);
    DrawnPlots plots;
    for (const proto::Plot* plot : HandInPlots(pages.page)) {
      const absl::StatusOr<std::string> pdf = std::move(DrawPdfPlots({plot}).front());
      const std::string file = absl::StrCat("r.", plot->id(), ".pdf");
      if (pdf.ok()) {
        WriteFile(absl::StrCat(folder, "/", file), *pdf);
      }
      plots[plot->id()] = {"", pdf.ok() ? file : "", std::string(pdf.status().message())};
    }
    WriteFile(folder + "/r.tex", RenderLatexHandIn({ReportTitle(*lab), "A. Student", "1 May 2026"}, pages.page, plots));
    const std::string log = Compile(folder);
    EXPECT_EQ(Complaints(log), "");
    EXPECT_THAT(log, ::testing::ContainsRegex("Output written on r.pdf \\([1-4] page"));
  }
}

// Returns the small lab with all experiments, DataParallel, two sweeps and warnings.
LabRecords LabWithExperiments() {
  LabRecords lab = lockstep::testing::SmallLab();
  lab.sweeps.push_back(lockstep::testing::SmallSweep());
  lab.sweeps[1].input.set_path("/lab/again.rec");
  lab.sweeps[1].points[0].mutable_epoch_seconds()->mutable_value()->Truncate(1);
  lab.scales.push_back(lockstep::testing::SmallLargeBatch());
  lab.scales.push_back(lockstep::testing::SmallSampler());
  lab.scales.push_back(lockstep::testing::SmallSent());
  lab.scales.push_back(lockstep::testing::SmallDataParallel());
  lab.comm_models.push_back(lockstep::testing::SmallDataParallelModel());
  lab.scales[0].points[2].add_noise_warning("timed epochs differ by 20 %");
  lab.scales[0].points[3].add_noise_warning("timed epochs differ by 30 %");
  return lab;
}

// Returns the text of a document: without the braces and breaks of EscapeLatex, and with quotation marks.
std::string PlainText(const std::string& document) {
  return absl::StrReplaceAll(document,
                             {{"\\allowbreak{}", ""}, {"\\char34{}", "\""}, {"\\_", "_"}, {"\\%", "%"}, {"{}", ""}});
}

// Returns what `pattern` finds: its first group of each match.
std::set<std::string> Found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), regex); match != std::sregex_iterator(); ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

// Returns the titles and captions of the page.
std::vector<std::string> TitlesOf(const std::vector<proto::Section>& page) {
  std::vector<std::string> titles;
  for (const proto::Section& section : page) {
    titles.push_back(section.title());
    for (const proto::Table& table : section.table()) {
      titles.push_back(table.caption());
    }
    for (const proto::Plot& plot : section.plot()) {
      titles.push_back(plot.title());
    }
  }
  return titles;
}

// Checks that each part and each run that a hand-in names is in the hand-in.
void ExpectTargets(const std::vector<proto::Section>& page, const std::string& document) {
  const std::string text = PlainText(document);
  for (const std::string& label : Found(text, "\\\\(?:page)?ref\\{([^}]*)\\}")) {
    EXPECT_THAT(text, HasSubstr(absl::StrCat("\\label{", label, "}")));
  }
  for (const std::string& numbers : Found(text, "Tables? ([0-9]+(?:(?:, | and | to )[0-9]+)*)")) {
    for (const std::string& number : Found(numbers, "([0-9]+)")) {
      EXPECT_THAT(text, HasSubstr(absl::StrCat("\\label{tab:table-", number, "}")));
    }
  }
  EXPECT_THAT(Found(text, "(Figures? [0-9]+)"), ::testing::IsEmpty());  // figures are not referred to by number
  for (const std::string& letters : Found(text, "\\b[Rr]uns? ([A-Z]+(?:(?:, | and )[A-Z]+)*)\\b")) {
    for (const std::string& letter : Found(letters, "([A-Z]+)")) {
      EXPECT_THAT(text, HasSubstr(absl::StrCat("\n", letter, " & "))) << "run " << letter;
    }
  }
  for (const std::string& file : Found(text, "\\(([a-z_]+\\.rec)\\)")) {
    for (const proto::LabRun& run : page[0].summary().run()) {
      EXPECT_TRUE(run.file() != file || absl::StrContains(text, absl::StrCat(" & ", file, " \\\\\n"))) << file;
    }
  }
  for (const std::string& quoted : Found(text, "\"([^\"]+)\"")) {
    for (const std::string& title : TitlesOf(page)) {
      EXPECT_FALSE(absl::StartsWith(title, quoted)) << quoted;
    }
  }
}

TEST(LatexTest, TheHandInContainsWhatItNames) {
  for (const LabRecords& lab : {lockstep::testing::SmallLab(), LabWithExperiments()}) {
    for (const PageStyle style : {PageStyle::kGiven, PageStyle::kLab}) {
      const std::vector<proto::Section> page = ArrangePages(lab, style).page;
      const std::string document = RenderLatexHandIn({ReportTitle(lab), "", ""}, page, {});
      ExpectTargets(page, document);
      EXPECT_THAT(document, AllOf(HasSubstr(": run "), HasSubstr("\\label{tab:runs}"), HasSubstr("\\section{Limits}")));
      EXPECT_THAT(document, AllOf(HasSubstr("max\\textbar{}w\\textbar{} per layer"), Not(HasSubstr("histogram"))));
    }
  }
}

TEST(LatexTest, TheHandInCountsAnswersAndWarnings) {
  const auto document = [](const LabRecords& lab) {
    return RenderLatexHandIn({}, ArrangePages(lab, PageStyle::kGiven).page, {});
  };
  EXPECT_THAT(document(lockstep::testing::SmallLab()),
              AllOf(HasSubstr("Not answered: Q4,{} Q5,{} Q6,{} Q7."), HasSubstr("No warning applies to the numbers.")));
  const std::string whole = document(LabWithExperiments());
  EXPECT_THAT(whole, AllOf(HasSubstr("All 12 questions have an answer."), Not(HasSubstr("No warning applies"))));
  EXPECT_THAT(PlainText(whole),
              AllOf(HasSubstr("One timed epoch only, so no spread: again.rec.\\par"),
                    HasSubstr("differ by 20 % (1 more warning of this kind)."), Not(HasSubstr("differ by 30 %"))));
}

}  // namespace
}  // namespace lockstep
