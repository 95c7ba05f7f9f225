#include "lib/report/gnuplot.h"

#include <sys/stat.h>

#include <cstdlib>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

proto::Plot PlotOf(const std::string& text) {
  proto::Plot plot;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &plot));
  return plot;
}

proto::Plot Lines() {
  return PlotOf(R"pb(
    kind: LINES
    id: "time"
    title: "T < U"
    description: "points"
    x_label: "batch"
    y_label: "it's"
    x_log: true
    series {
      label: "a'b"
      x: [ 32, 128 ]
      y: [ 4, 2 ]
      y_low: [ 3.5, 2 ]
      y_high: [ 4.5, 2 ]
    }
    series {
      label: "ideal"
      reference: true
      x: [ 32, 128 ]
      y: [ 1, 2 ]
    })pb");
}

proto::Plot Bars(const std::string& kind) {
  const std::string series = "series { label: 'a' x: [0] y: [1.5] } series { label: 'b' x: [0] y: [0.5] }";
  return PlotOf("id: 'split' tick: ['2 x 32'] " + series + " kind: " + kind);
}

// Skips when gnuplot is not installed: drawing is optional, the script is not.
#define SKIP_WITHOUT_GNUPLOT()                                \
  if (const auto version = GnuplotVersion(); !version.ok()) { \
    GTEST_SKIP() << version.status().message();               \
  }                                                           \
  static_assert(true, "ends with a semicolon")

TEST(GnuplotScriptTest, PointsAreNotJoinedAndHaveRoundTicks) {
  proto::Plot plot = Lines();
  plot.set_kind(proto::POINTS);
  const std::string script = GnuplotScript(plot, "-");
  EXPECT_THAT(script, HasSubstr("$s0 using 1:2:3:4 with yerrorbars lw 2"));
  EXPECT_THAT(script, HasSubstr("$s1 using 1:2 with lines"));
  EXPECT_THAT(script, HasSubstr("set xtics (50, 100)"));
  EXPECT_THAT(GnuplotScript(Lines(), "-"), HasSubstr("set xtics (32, 128)"));
}

TEST(GnuplotScriptTest, TextIsQuotedAndTakenAsItIs) {
  const std::string script = GnuplotScript(Lines(), "/out.svg");
  EXPECT_THAT(script, AllOf(HasSubstr("set ylabel 'it''s'"), HasSubstr("title 'a''b'"), HasSubstr("noenhanced")));
}

TEST(GnuplotScriptTest, ALineEndInALabelStartsNoCommand) {
  proto::Plot plot = Lines();
  plot.set_x_label("a'\nsystem('id')");
  EXPECT_THAT(GnuplotScript(plot, "/out.svg"), HasSubstr("set xlabel 'a'' system(''id'')'"));
}

TEST(GnuplotScriptTest, LinesHaveErrorBarsAndTicksWherePointsAre) {
  const std::string script = GnuplotScript(Lines(), "/out.svg");
  EXPECT_THAT(script, AllOf(HasSubstr("32 4 3.5 4.5\n128 2 2 2\n"), HasSubstr("set xtics (32, 128)"),
                            HasSubstr("set logscale x"), HasSubstr("yerrorlines")));
}

// On the side with more room, and within the range though no point is there.
TEST(GnuplotScriptTest, MarksAreLinesWithLabels) {
  proto::Plot plot = Lines();
  plot.add_mark()->set_x(40);
  plot.mutable_mark(0)->set_label("it's full");
  plot.add_mark()->set_x(512);
  plot.mutable_series(0)->set_provenance(proto::MODELLED);
  const std::string script = GnuplotScript(plot, "/out.svg");
  EXPECT_THAT(script, HasSubstr("set arrow from first 40, graph 0 to first 40, graph 1 nohead"));
  EXPECT_THAT(script, HasSubstr("set label 'it''s full' at first 40, graph 0.95 left"));
  EXPECT_THAT(script, HasSubstr("at first 512, graph 0.89 right"));
  EXPECT_THAT(script, HasSubstr("set xtics (32, 128)\nset xrange [24.61538462:665.6]"));  // 32 / 1.3 to 512 * 1.3
  EXPECT_THAT(script, HasSubstr("pt 7 dt 2"));
  EXPECT_THAT(
      script,
      HasSubstr("set yrange [0:5.421686747]"));  // 4.5 are 83 %: two labels have 6 % each above, and 5 % above them
}

TEST(GnuplotScriptTest, ALogarithmsTicksAreOneTwoAndFive) {
  proto::Plot plot = Lines();
  plot.set_y_log(true);  // y is 1 to 4.5
  const std::string script = GnuplotScript(plot, "/out.svg");
  EXPECT_THAT(script, HasSubstr("set logscale y\nset yrange [0.7692307692:5.85]\nset ytics (1, 2, 5)\n"));
  plot.clear_series();
  EXPECT_THAT(GnuplotScript(plot, "/out.svg"), Not(HasSubstr("ytics (")));
}

TEST(GnuplotScriptTest, StackedBarsStandOnEachOther) {
  const std::string script = GnuplotScript(Bars("STACKED_BARS"), "/out.svg");
  EXPECT_THAT(script, AllOf(HasSubstr("-0.3 0.3 0 1.5\n"), HasSubstr("-0.3 0.3 1.5 2\n")));
}

TEST(GnuplotScriptTest, GroupedBarsStandSideBySide) {
  const std::string script = GnuplotScript(Bars("GROUPED_BARS"), "/out.svg");
  EXPECT_THAT(script, AllOf(HasSubstr("-0.3 0 0 1.5\n"), HasSubstr("0 0.3 0 0.5\n")));
}

TEST(GnuplotTest, AMissingGnuplotIsNotFoundAndSaysHowToInstallIt) {
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  setenv("PATH", "/no/such/folder", 1);
  const auto version = GnuplotVersion();
  const auto svg = DrawPlot(Lines());
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(version, StatusIs(absl::StatusCode::kNotFound, HasSubstr("apt-get install gnuplot-nox")));
  EXPECT_THAT(svg, StatusIs(absl::StatusCode::kNotFound, HasSubstr("gnuplot")));
}

// A folder whose gnuplot is this shell script.
std::string FolderWithGnuplot(const std::string& script) {
  const std::string folder = TempPath("bin");
  mkdir(folder.c_str(), 0755);
  WriteFile(folder + "/gnuplot", "#!/bin/sh\n" + script + "\n");
  chmod((folder + "/gnuplot").c_str(), 0755);
  return folder;
}

TEST(GnuplotTest, AKilledGnuplotIsUnavailableAndACrashedOneInternal) {
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  setenv("PATH", (FolderWithGnuplot("kill -9 $$") + ":" + path).c_str(), 1);
  const auto killed = DrawPlot(Lines());
  const auto version = GnuplotVersion();
  setenv("PATH", (FolderWithGnuplot("kill -11 $$") + ":" + path).c_str(), 1);
  const auto crashed = DrawPlot(Lines());
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(killed, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("run it again")));
  EXPECT_THAT(version, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("signal 9")));
  EXPECT_THAT(crashed, StatusIs(absl::StatusCode::kInternal, HasSubstr("so there is no plot")));
}

// A temporary file would outlive a kill -9.
TEST(GnuplotTest, TheScriptIsInNoFolder) {
  SKIP_WITHOUT_GNUPLOT();
  setenv("TMPDIR", "/no/such/folder", 1);
  const auto svg = DrawPlot(Lines());
  unsetenv("TMPDIR");
  EXPECT_THAT(svg, IsOk());
}

TEST(GnuplotTest, HasAVersion) {
  SKIP_WITHOUT_GNUPLOT();
  EXPECT_THAT(*GnuplotVersion(), MatchesRegex("[0-9]+\\.[0-9]+\\..+"));
}

TEST(GnuplotTest, DrawsAnElementThatIsReadAloudAndTakesTheTextsColour) {
  SKIP_WITHOUT_GNUPLOT();
  const auto svg = DrawPlot(Lines());
  ASSERT_THAT(svg, IsOk());
  EXPECT_THAT(
      *svg, AllOf(StartsWith("<svg"), HasSubstr("role=\"img\""), HasSubstr("<title id=\"time-title\">T &lt; U</title>"),
                  HasSubstr("<desc id=\"time-desc\">points</desc>"), HasSubstr("currentColor"), HasSubstr("it's")));
  EXPECT_THAT(*svg, AllOf(Not(HasSubstr("\"black\"")), Not(HasSubstr("'black'")), Not(HasSubstr("GNUPLOT"))));
}

TEST(GnuplotTest, IdsBeginWithThePlotsOwn) {
  SKIP_WITHOUT_GNUPLOT();
  const std::string svg = *DrawPlot(Lines());
  for (size_t at = svg.find(" id="); at != std::string::npos; at = svg.find(" id=", at + 1)) {
    EXPECT_EQ(svg.substr(at + 5, 5), "time-") << svg.substr(at, 40);
  }
}

TEST(GnuplotTest, TheSamePlotIsTheSameBytes) {
  SKIP_WITHOUT_GNUPLOT();
  EXPECT_EQ(*DrawPlot(Lines()), *DrawPlot(Lines()));
  EXPECT_EQ(*DrawPlot(Bars("STACKED_BARS")), *DrawPlot(Bars("STACKED_BARS")));
}

TEST(GnuplotTest, AFileOfItsOwnIsOnWhite) {
  EXPECT_EQ(StandaloneSvg("<svg><title>t</title><desc>d</desc><g/></svg>"),
            "<?xml version=\"1.0\" "
            "encoding=\"utf-8\"?>\n<svg><title>t</title><desc>d</desc>\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"white\"/><g/></svg>");
}

}  // namespace
}  // namespace lockstep
