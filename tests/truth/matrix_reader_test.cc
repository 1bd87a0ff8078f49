#include "duel/truth/matrix_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "duel/core/text_lines.h"
#include "tests/truth/matrices.h"

namespace duel {
namespace {

using Names = std::vector<std::string>;

PreferenceMatrix read(std::string_view text) {
  auto result = read_matrix_text("m.csv", text);
  if (!result.ok()) ADD_FAILURE() << result.error().to_string();
  return result.ok() ? std::move(result).value() : matrix_of({{0.5}});
}

std::string error_of(std::string_view text) {
  const auto result = read_matrix_text("m.csv", text);
  EXPECT_FALSE(result.ok()) << text;
  if (result.ok()) return "";
  EXPECT_EQ(result.error().code, ErrorCode::invalid_data);
  return result.error().to_string();
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = std::filesystem::temp_directory_path() /
            ("duel_matrix_reader_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name, std::ios::binary) << text;
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

TEST(MatrixReader, reads_csv_with_names) {
  const auto matrix = read("x,y\n0.5,0.6\n0.4,0.5\n");
  EXPECT_EQ(matrix.arm_names(), (Names{"x", "y"}));
  EXPECT_EQ(matrix(0, 1), 0.6);
  EXPECT_EQ(matrix.name(), "m");
}

TEST(MatrixReader, takes_crlf_byte_order_mark_blanks_and_blank_lines_at_the_ends) {
  for (const char* text : {"x,y\r\n0.5,0.6\r\n0.4,0.5\r\n", "\xef\xbb\xbfx,y\n0.5,0.6\n0.4,0.5",
                           "\n\n x , y \n0.5 , 0.6\n0.4,\t0.5\n\n \n"}) {
    const auto matrix = read(text);
    EXPECT_EQ(matrix.arm_names(), (Names{"x", "y"})) << text;
    EXPECT_EQ(matrix(1, 0), 0.4) << text;
  }
}

TEST(MatrixReader, takes_names_with_all_sorts_of_characters) {
  const auto matrix = read(
      "#1 (old),\"toro, \"\"fatty\"\" tuna\",O'Neill: G.P. v1.0\n0.5,.5,0.5\n.5,.5,.5\n.5,.5,.5\n");
  EXPECT_EQ(matrix.arm_names(), (Names{"#1 (old)", "toro, \"fatty\" tuna", "O'Neill: G.P. v1.0"}));
}

TEST(MatrixReader, names_the_arms_of_a_csv_without_header) {
  const auto matrix = read("0.5,0.6\n0.4,0.5\n");
  EXPECT_EQ(matrix.arm_names(), (Names{"arm1", "arm2"}));
  EXPECT_EQ(matrix(0, 1), 0.6);
}

TEST(MatrixReader, takes_a_line_of_numbers_for_names_where_k_rows_follow) {
  EXPECT_EQ(read("200,203\n0.5,0.6\n0.4,0.5\n").arm_names(), (Names{"200", "203"}));
  EXPECT_EQ(read("0,1\n0.5,0.6\n0.4,0.5\n").arm_names(), (Names{"0", "1"}));
  EXPECT_EQ(read("0.5,1\n0.5,0.6\n0.4,0.5\n").arm_names(), (Names{"0.5", "1"}));
  EXPECT_EQ(read("7\n0.5\n").arm_names(), Names{"7"});
  EXPECT_EQ(read("0.5\n").arm_names(), Names{"arm1"});
  EXPECT_EQ(read("\"0.5\",\"0.6\"\n0.5,0.6\n0.4,0.5\n").arm_names(), (Names{"0.5", "0.6"}));
}

TEST(MatrixReader, calls_a_row_too_many_by_its_name) {
  EXPECT_EQ(error_of("0.5,0.6\n0.4,0.5\n0.4,0.5\n"),
            "m.csv: 3 rows of numbers for 2 arms (a preference matrix is square)");
  EXPECT_EQ(error_of("x,y\n0.5,0.6\n0.4,0.5\n0.4,0.5\n"),
            "m.csv: 3 rows of numbers for 2 arms (a preference matrix is square)");
  EXPECT_EQ(error_of("x,y\n0.5,0.6\n0.4,0.5\n0.4,0.5\n0.4,0.5\n"),
            "m.csv:5: more rows than the 2 arms (a preference matrix is square)");
}

TEST(MatrixReader, reads_numbers_separated_by_blanks_with_leading_comments) {
  const auto matrix = read("# made by hand, in 2015\n# two arms\n0.5 0.6\n0.4\t 0.5  \n");
  EXPECT_EQ(matrix.arm_names(), (Names{"arm1", "arm2"}));
  EXPECT_EQ(matrix(1, 0), 0.4);
  EXPECT_EQ(read("0.5\t0.6\n0.4\t0.5").num_arms(), 2u);
}

TEST(MatrixReader, refuses_comments_in_csv) {
  EXPECT_EQ(error_of("# a comment\n# another\nx,y\n0.5,0.6\n0.4,0.5\n"),
            "m.csv:2: a comment line in a CSV file (only text separated by blanks has comments)");
  EXPECT_EQ(error_of("# a comment\nx,y\n0.5,0.6\n0.4,0.5\n"),
            "m.csv:1: a comment line in a CSV file (only text separated by blanks has comments)");
  EXPECT_EQ(error_of("x,y\n# c,d\n0.4,0.5\n"), "m.csv:2, column 1: '# c' is not a number");
}

TEST(MatrixReader, says_where_a_number_is_wrong_or_missing) {
  EXPECT_EQ(error_of("x,y\n0.5,0.6\n0.4,abc\n"), "m.csv:3, column 2: 'abc' is not a number");
  EXPECT_EQ(error_of("x,y\n0.5,nan\n0.4,0.5\n"), "m.csv:2, column 2: 'nan' is not a number");
  EXPECT_EQ(error_of("x,y\n0.5,\n0.4,0.5\n"), "m.csv:2, column 2: a number is missing");
  EXPECT_EQ(error_of("x,y\n0.5,1e999\n0.4,0.5\n"), "m.csv:2, column 2: '1e999' is out of range");
  EXPECT_EQ(error_of("x,y\n0.5,0.6\n0.4,0.5,0.6\n"),
            "m.csv:3: the row has 3 fields, the first line 2 "
            "(every row has a number for each arm)");
  EXPECT_EQ(error_of("x,y\n0.5,0.6\n0.4\n"),
            "m.csv:3: the row has 1 field, the first line 2 "
            "(every row has a number for each arm)");
  EXPECT_EQ(error_of("x,y\n0.5,0.6\n\n0.4,0.5\n"),
            "m.csv:4: a row after a blank line "
            "(blank lines are allowed only at the ends of the file)");
}

TEST(MatrixReader, says_where_a_matrix_is_wrong) {
  EXPECT_EQ(error_of("x,y\n0.5,1.6\n-0.6,0.5\n"),
            "m.csv:2, column 2: P('x' beats 'y') = 1.6 is outside [0, 1]");
  EXPECT_EQ(error_of("\n0.5,0.6\n0.5,0.5\n"),
            "m.csv:3, column 1: P('arm2' beats 'arm1') = 0.5 and P('arm1' beats 'arm2') = 0.6 "
            "add up to 1.1, not 1 (one of the two arms wins a duel)");
  EXPECT_EQ(error_of("x,y\n0.4,0.6\n0.4,0.5\n"),
            "m.csv:2, column 1: P('x' beats 'x') = 0.4, but must be 0.5 (the diagonal is 0.5)");
  EXPECT_EQ(error_of("x,x\n0.5,0.6\n0.4,0.5\n"),
            "m.csv:1, column 2: the name 'x' is given twice, to arms 1 and 2 "
            "(every arm needs a name of its own)");
  EXPECT_EQ(error_of(",x,y\nx,0.5,0.6\ny,0.4,0.5\n"),
            "m.csv:1, column 1: the name of arm 1 is empty "
            "(the first line names every arm; there is no column of row names)");
  EXPECT_EQ(error_of("x,y\n"),
            "m.csv: 0 rows of numbers for 2 arms (a preference matrix is square)");
}

TEST(MatrixReader, says_what_is_wrong_with_quotes) {
  EXPECT_EQ(error_of("x,\"y\n0.5,0.6\n"),
            "m.csv:1, column 2: a quote is not closed on its line "
            "(inside quotes, a quote is written twice)");
  EXPECT_EQ(error_of("\"x\" y,z\n"),
            "m.csv:1, column 1: text after the closing quote "
            "(inside quotes, a quote is written twice)");
}

TEST(MatrixReader, hints_at_commas_where_other_separators_are_used) {
  EXPECT_EQ(error_of("x y\n0.5 0.6\n0.4 0.5\n"),
            "m.csv:2, column 1: '0.5 0.6' is not a number "
            "(names and numbers are separated by commas)");
  EXPECT_EQ(error_of("x;y\n0.5;0.6\n0.4;0.5\n"),
            "m.csv:2, column 1: '0.5;0.6' is not a number "
            "(names and numbers are separated by commas)");
}

TEST(MatrixReader, refuses_what_is_empty_or_binary) {
  const std::string form =
      " (a matrix file has a line of arm names, then a line of numbers for each arm)";
  EXPECT_EQ(error_of(""), "m.csv: the file is empty" + form);
  EXPECT_EQ(error_of("\n \r\n\n"), "m.csv: the file is empty" + form);
  EXPECT_EQ(error_of("# nothing else\n"), "m.csv: there is no row of numbers" + form);
  EXPECT_EQ(error_of(std::string_view("x,\0y\n", 5)),
            "m.csv:1: this is not text: byte 0x00 at position 3 of the line");
  EXPECT_EQ(error_of("x,y\n0.5,\x1b[0m\n"),
            "m.csv:2: this is not text: byte 0x1b at position 5 of the line");
}

TEST(MatrixReader, refuses_more_columns_than_it_can_hold) {
  std::string line = "x0";
  for (std::size_t i = 1; i <= kMostMatrixColumns; ++i) line += ",x" + std::to_string(i);
  EXPECT_EQ(error_of(line + "\n"), "m.csv:1: 20001 columns are too many (at most 20000 arms)");
}

TEST(MatrixReader, refuses_lines_and_files_that_are_too_long) {
  const TextLimits limits{.bytes = 20, .line_bytes = 8};
  auto lines = TextLines::of_text("t", "0123456789\n", limits);
  EXPECT_EQ(lines.next().error().to_string(), "t:1: the line is longer than 8 bytes");
  auto many = TextLines::of_text("t", "0123\n5678\n0123\n5678\n0123\n", limits);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(many.next().ok());
  EXPECT_EQ(many.next().error().to_string(),
            "t: more than 20 bytes of text (that is the most that is read)");
}

TEST(MatrixReader, names_a_matrix_after_its_file) {
  const TemporaryFolder folder;
  const std::string text = "x,y\n0.5,0.6\n0.4,0.5\n";
  EXPECT_EQ(read_matrix_file(folder.write("two arms.v2.csv", text))->name(), "two arms.v2");
  EXPECT_EQ(read_matrix_file(folder.write("two.txt", text))->name(), "two");
  EXPECT_EQ(read_matrix_file(folder.write("two.dat", text))->name(), "two.dat");
}

TEST(MatrixReader, refuses_what_cannot_be_read) {
  const TemporaryFolder folder;
  const auto missing = read_matrix_file(folder / "none.csv");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_EQ(missing.error().to_string(), folder / "none.csv" + ": there is no such file");
  std::filesystem::create_directory(folder / "sub");
  const auto directory = read_matrix_file(folder / "sub");
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.error().code, ErrorCode::io);
  EXPECT_EQ(directory.error().to_string(), folder / "sub" + ": is a directory, not a file");
  if (::geteuid() != 0) {  // root may read everything
    ::chmod(folder.write("locked.csv", "x\n0.5\n").c_str(), 0);
    const auto locked = read_matrix_file(folder / "locked.csv");
    ASSERT_FALSE(locked.ok());
    EXPECT_EQ(locked.error().to_string(),
              folder / "locked.csv" + ": cannot be read: Permission denied");
  }
}

TEST(MatrixReader, refuses_gigabytes_without_reading_them) {
  const TemporaryFolder folder;
  const std::string path = folder.write("huge.csv", "x,y\n");
  std::filesystem::resize_file(path, std::uintmax_t{3} << 30);  // sparse
  const auto huge = read_matrix_file(path);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().to_string(),
            path + ": more than 2 GiB of text (that is the most that is read)");
}

TEST(MatrixReader, complains_of_an_endless_stream_early) {
  const auto zeros = read_matrix_file("/dev/zero");
  ASSERT_FALSE(zeros.ok());
  EXPECT_EQ(zeros.error().message, "this is not text: byte 0x00 at position 1 of the line");
}

TEST(MatrixReader, reads_back_what_it_writes) {
  for (const char* name : {"arxiv", "bradley-terry(k=7)", "mallows(k=1)", "thurstone(spread=20)"}) {
    const auto matrix = named(name);
    std::ostringstream out;
    write_matrix_csv(matrix, out);
    const auto again = read(out.str());
    EXPECT_EQ(again.arm_names(), matrix.arm_names());
    for (Arm i = 0; i < matrix.num_arms(); ++i) {
      for (Arm j = 0; j < matrix.num_arms(); ++j) EXPECT_EQ(again(i, j), matrix(i, j)) << name;
    }
  }
}

TEST(MatrixReader, writes_the_shortest_numbers) {
  std::ostringstream out;
  write_matrix_csv(matrix_of({{0.5, 0.55}, {0.45, 0.5}}), out);
  EXPECT_EQ(out.str(), "a,b\n0.5,0.55\n0.45,0.5\n");
}

RC_GTEST_PROP(MatrixReader, reads_back_any_names, ()) {
  const auto character = rc::gen::weightedOneOf<char>(
      {{3, rc::gen::inRange('a', 'e')}, {2, rc::gen::elementOf(std::string("#,\" 0.5'()"))}});
  const auto names =
      *rc::gen::unique<Names>(rc::gen::nonEmpty(rc::gen::container<std::string>(character)));
  RC_PRE(!names.empty());
  const auto matrix =
      PreferenceMatrix::create("m", names, std::vector<double>(names.size() * names.size(), 0.5));
  RC_ASSERT(matrix.ok());
  std::ostringstream out;
  write_matrix_csv(*matrix, out);
  const auto again = read_matrix_text("m.csv", out.str());
  RC_ASSERT(again.ok());
  RC_ASSERT(again->arm_names() == names);
}

}  // namespace
}  // namespace duel
