#include "duel/ranking/letor/letor_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "duel/core/rng.h"
#include "duel/ranking/letor/feature_value.h"
#include "tests/ranking/judged_data.h"
#include "tests/ranking/letor/literal_reader.h"

namespace duel {
namespace {

JudgedQueries read(std::string_view text, const LetorLimits& limits = {}) {
  auto queries = read_letor_text("data.txt", text, limits);
  EXPECT_TRUE(queries.ok()) << (queries.ok() ? "" : queries.error().to_string());
  return queries.ok() ? std::move(queries).value() : JudgedQueries();
}

std::string error_of(std::string_view text, const LetorLimits& limits = {}) {
  const auto queries = read_letor_text("data.txt", text, limits);
  return queries.ok() ? "no error" : queries.error().to_string();
}

std::vector<float> row_of(const JudgedQueries& queries, std::size_t query, Document document) {
  const auto row = queries.features(query, document);
  return {row.begin(), row.end()};
}

void expect_same(const JudgedQueries& queries, const std::vector<LiteralDocument>& literal) {
  ASSERT_EQ(queries.num_documents(), literal.size());
  std::size_t i = 0;
  std::size_t widest = 0;
  for (std::size_t q = 0; q < queries.num_queries(); ++q) {
    for (Document d = 0; d < queries.num_documents(q); ++d, ++i) {
      EXPECT_EQ(queries.qid(q), literal[i].qid);
      EXPECT_EQ(queries.grades(q)[d], literal[i].grade);
      auto expected = literal[i].features;
      widest = std::max(widest, expected.size());
      expected.resize(queries.num_features());
      ASSERT_EQ(row_of(queries, q, d), expected) << "document " << i;
    }
  }
  EXPECT_EQ(queries.num_features(), widest);
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + "_" + name))
                  .string()) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  void write(std::string_view bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
  }

 private:
  std::string path_;
};

// --- what is read -------------------------------------------------------------------------------

TEST(LetorReader, reads_grades_queries_and_features) {
  const auto queries = read(
      "2 qid:10 1:0.5 2:-1.25 3:3e-2 #docid = GX1\n"
      "0 qid:10 1:1 2:2 3:3\n"
      "1 qid:7 1:0 2:0 3:1\n");
  EXPECT_EQ(queries.num_queries(), 2u);
  EXPECT_EQ(queries.num_documents(), 3u);
  EXPECT_EQ(queries.num_documents(0), 2u);
  EXPECT_EQ(queries.num_features(), 3u);
  EXPECT_EQ(queries.num_grades(), 3u);
  EXPECT_EQ(queries.qid(0), 10u);
  EXPECT_EQ(queries.qid(1), 7u);
  EXPECT_EQ(queries.grades(0)[0], 2);
  EXPECT_EQ(row_of(queries, 0, 0), (std::vector<float>{0.5F, -1.25F, 0.03F}));
  EXPECT_EQ(row_of(queries, 1, 0), (std::vector<float>{0, 0, 1}));
}

TEST(LetorReader, missing_features_are_zero_and_rows_widen_later) {
  const auto queries = read("1 qid:1\n0 qid:1 2:5\n0 qid:1 1:1\n2 qid:2 5:9\n0 qid:2 4:3\n");
  EXPECT_EQ(queries.num_features(), 5u);
  EXPECT_EQ(row_of(queries, 0, 0), (std::vector<float>{0, 0, 0, 0, 0}));
  EXPECT_EQ(row_of(queries, 0, 1), (std::vector<float>{0, 5, 0, 0, 0}));
  EXPECT_EQ(row_of(queries, 0, 2), (std::vector<float>{1, 0, 0, 0, 0}));
  EXPECT_EQ(row_of(queries, 1, 0), (std::vector<float>{0, 0, 0, 0, 9}));
  EXPECT_EQ(row_of(queries, 1, 1), (std::vector<float>{0, 0, 0, 3, 0}));
}

TEST(LetorReader, takes_what_files_have_at_their_edges) {
  const auto plain = read("2 qid:1 1:0.5 2:1\n0 qid:2 1:1 2:0\n");
  for (const std::string_view text : {
           "2 qid:1 1:0.5 2:1\n0 qid:2 1:1 2:0",                        // no final newline
           "2 qid:1 1:0.5 2:1\r\n0 qid:2 1:1 2:0\r\n",                  // CRLF
           "2 qid:1 1:0.5 2:1\r\n0 qid:2 1:1 2:0\r",                    // CR at the very end
           "\xef\xbb\xbf\x32 qid:1 1:0.5 2:1\n0 qid:2 1:1 2:0\n",       // byte order mark
           "# head\n\n2 qid:1 1:0.5 2:1\n   \n0 qid:2 1:1 2:0\n#\n\n",  // comments, empty lines
           "  2\tqid:1  1:0.5\t2:1  \n0 qid:2 1:1 2:0 #\xff\x01\n",     // blanks; any comment
           "2.0 qid:1 1:+.5 2:1.\n0.00 qid:2 1:1e0 2:-0\n",             // numbers as C writes them
           "2 qid:1 1:0.5 2:1#no blank\n0 qid:2 1:10E-1 2:0e5\n",
       }) {
    EXPECT_EQ(read(text), plain) << text;
  }
}

TEST(LetorReader, takes_large_numbers_of_features_and_queries) {
  const auto queries = read("255 qid:18446744073709551615 700:1 100000:2\n");
  EXPECT_EQ(queries.num_features(), 100000u);
  EXPECT_EQ(queries.qid(0), 18446744073709551615u);
  EXPECT_EQ(queries.num_grades(), 256u);
}

// Random sparse data, with all the decorations that the literal reader understands.
std::string random_letor(RoundRng& rng, std::size_t num_features) {
  std::string text;
  std::uint64_t qid = rng.below(100);
  for (std::uint64_t line = 0; line < 40; ++line) {
    if (rng.below(4) == 0) qid += 1 + rng.below(5);
    text += fmt::format("{} qid:{}", rng.below(5), qid);
    const std::uint64_t keep = 1 + rng.below(4);
    for (std::size_t f = 1; f <= num_features; ++f) {
      if (rng.below(4) >= keep) continue;
      const double magnitude = std::pow(10.0, static_cast<double>(rng.below(20)) - 10);
      const double value = (rng.uniform() - 0.5) * magnitude;
      switch (rng.below(4)) {
        case 0:
          text += fmt::format(" {}:{}", f, value);
          break;
        case 1:
          text += fmt::format(" {}:{:.6f}", f, value);
          break;
        case 2:
          text += fmt::format(" {}:{:e}", f, value);
          break;
        default:
          text += fmt::format(" {}:{}", f, rng.below(1000));
          break;
      }
    }
    if (rng.coin()) text += " #docid = GX" + std::to_string(line);
    text += "\n";
  }
  return text;
}

TEST(LetorReader, agrees_with_the_literal_reader_on_random_files) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    RoundRng rng = Stream(1, 0, Purpose::test, "letor").at(i);
    const std::string text = random_letor(rng, 1 + rng.below(60));
    std::istringstream in(text);
    expect_same(read(text), read_letor_literally(in));
  }
}

TEST(LetorReader, seams_between_chunks_change_nothing) {
  RoundRng rng = Stream(2, 0, Purpose::test, "letor").at(0);
  const std::string text = "\xef\xbb\xbf" + random_letor(rng, 30);
  const auto whole = read(text);
  for (const std::size_t buffer : {1, 8, 9, 13, 64, 100, 1000}) {
    EXPECT_EQ(read(text, {.buffer_bytes = buffer}), whole);
  }
}

TEST(LetorReader, what_was_read_survives_being_written) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    RoundRng rng = Stream(3, 0, Purpose::test, "letor").at(i);
    const auto queries = read(random_letor(rng, 20));
    std::ostringstream written;
    write_letor(queries, written);
    EXPECT_EQ(read(written.str()), queries);
  }
}

TEST(LetorReader, memory_is_that_of_the_dense_matrix) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "0 qid:1 1:1 3:1\n";
  text += "0 qid:1 7:1\n";
  EXPECT_EQ(read(text).feature_bytes(), 5001u * 7 * sizeof(float));
}

// --- numbers ------------------------------------------------------------------------------------

// The nearest float by the standard library, which knows no sign + and calls tiny numbers an error.
void expect_nearest_float(const std::string& text) {
  const std::string line = text + "\n";
  const ParsedValue parsed = parse_feature_value(line.data());
  ASSERT_EQ(parsed.fault, ValueFault::none) << text;
  ASSERT_EQ(parsed.end, line.data() + text.size()) << text;
  float expected = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), expected);
  ASSERT_EQ(result.ec, std::errc()) << text;
  ASSERT_EQ(parsed.value, expected) << text;
}

TEST(FeatureValue, is_the_nearest_float_for_random_decimals) {
  const Stream stream(4, 0, Purpose::test, "decimals");
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    RoundRng rng = stream.at(i);
    const std::uint64_t digits = rng.bits() >> rng.below(64);
    std::string text = std::to_string(digits);
    const std::uint64_t form = rng.below(3);
    if (form >= 1) text.insert(rng.below(text.size() + 1), ".");
    if (form == 2) text += fmt::format("e{}", static_cast<int>(rng.below(30)) - 18);
    if (rng.coin()) text = "-" + text;
    expect_nearest_float(text);
  }
}

TEST(FeatureValue, is_the_nearest_float_next_to_and_at_the_middle_of_two_floats) {
  // Middles of neighbouring floats have at most 17 more digits than a double holds; a digit behind
  // them decides.
  const Stream stream(5, 0, Purpose::test, "middles");
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    RoundRng rng = stream.at(i);
    const double low = 1.0 + static_cast<double>(rng.below(1 << 23)) * 0x1p-23;
    const double middle = low + 0x1p-24;
    const std::string text = fmt::format("{:.24f}", middle);
    expect_nearest_float(text);
    expect_nearest_float(text + "1");
    expect_nearest_float(text.substr(0, 18));
    expect_nearest_float(fmt::format("{}", middle));
  }
}

TEST(FeatureValue, tiny_numbers_become_denormals_or_zero_and_huge_ones_are_faults) {
  const auto value_of = [](const std::string& text) {
    return parse_feature_value((text + "\n").c_str());
  };
  EXPECT_EQ(value_of("1e-45").value, std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(value_of("1e-60").value, 0.0F);
  EXPECT_EQ(value_of("1e-999999999999").value, 0.0F);
  EXPECT_EQ(value_of("0." + std::string(500, '0') + "1").value, 0.0F);
  EXPECT_EQ(value_of("0e999").value, 0.0F);
  EXPECT_EQ(value_of("3.4028234e38").value, std::numeric_limits<float>::max());
  EXPECT_EQ(value_of(std::string(500, '0') + "1").value, 1.0F);
  for (const std::string text : {"3.5e38", "1e39", "1e999999999999", "-1e400"}) {
    EXPECT_EQ(value_of(text).fault, ValueFault::too_large) << text;
  }
  EXPECT_EQ(value_of(std::string(500, '9')).fault, ValueFault::too_large);
  for (const std::string text : {"nan", "NaN", "inf", "-inf", "+Infinity"}) {
    EXPECT_EQ(value_of(text).fault, ValueFault::not_finite) << text;
  }
  for (const std::string text : {"", ".", "-", "+-1", "e5", "1e", "1e+", "x", "n", "--1"}) {
    EXPECT_EQ(value_of(text).fault, ValueFault::not_a_number) << text;
  }
}

// --- errors -------------------------------------------------------------------------------------

TEST(LetorReader, errors_name_file_line_value_and_remedy) {
  const std::string good = "0 qid:1 1:1\n";
  EXPECT_EQ(error_of(good + "x qid:1 1:1\n"),
            "data.txt:2: 'x' is not a grade (a whole number, 0 to 255)");
  EXPECT_EQ(error_of("-1 qid:1 1:1\n"),
            "data.txt:1: '-1' is not a grade (a whole number, 0 to 255)");
  for (const std::string_view grade : {"256", "1.5", "1e0", "99999999999999999999", "+1"}) {
    EXPECT_EQ(error_of(fmt::format("{} qid:1 1:1", grade)),
              fmt::format("data.txt:1: '{}' is not a grade (a whole number, 0 to 255)", grade));
  }
  EXPECT_EQ(error_of(good + "\n# nothing\n1 1:1\n"),
            "data.txt:4: no query: 'qid:' and a number must follow the grade");
  EXPECT_EQ(error_of("1 1:1\n"),
            "data.txt:1: no query: 'qid:' and a number must follow the grade (or give the number "
            "of documents of each query, one per line, in data.txt.query)");
  EXPECT_EQ(error_of("1\n").substr(0, 21), "data.txt:1: no query:");
  EXPECT_EQ(error_of("1 1:1\n0 qid:1 1:1\n"),
            "data.txt:2: a query after lines without one (all lines have one, or none)");
  for (const std::string_view qid : {"", "a", "-1", "1.5", "18446744073709551616", "1:2"}) {
    EXPECT_EQ(
        error_of(fmt::format("1 qid:{} 1:1\n", qid)),
        fmt::format("data.txt:1: '{}' is not a query number (a whole number, 0 to 2^64 - 1)", qid));
  }
  EXPECT_EQ(error_of("1 qid:1 0:1\n"),
            "data.txt:1: feature index 0 (features are numbered from 1; "
            "letor(file=FILE,zero-based=true) numbers them from 0)");
  EXPECT_EQ(error_of("1 qid:1 3:1 2:1\n"),
            "data.txt:1: feature 2 after feature 3 (the indices of a line must ascend)");
  EXPECT_EQ(error_of("1 qid:1 2:1 2:1\n"), "data.txt:1: feature 2 is given twice");
  EXPECT_EQ(error_of("1 qid:1 1:nan\n"),
            "data.txt:1: feature 1 is 'nan' (features must be finite)");
  EXPECT_EQ(error_of("1 qid:1 1:-Inf\n"),
            "data.txt:1: feature 1 is '-Inf' (features must be finite)");
  EXPECT_EQ(error_of("1 qid:1 1:1e39\n"),
            "data.txt:1: feature 1 is '1e39', too large for a float (at most 3.4e38 in size)");
  EXPECT_EQ(error_of("1 qid:1 1:0.5x\n"), "data.txt:1: feature 1 is '0.5x', which is not a number");
  EXPECT_EQ(error_of("1 qid:1 1:1 2:"), "data.txt:1: feature 2 has no value");
  EXPECT_EQ(error_of("1 qid:1 1: 5\n"), "data.txt:1: feature 1 has no value");
  for (const std::string_view word : {"2", "x:1", "2=1", ":1", "-1:1"}) {
    EXPECT_EQ(
        error_of(fmt::format("1 qid:1 1:1 {}", word)),
        fmt::format("data.txt:1: '{}' is not a feature (write index:value, as in 3:0.25)", word));
  }
  EXPECT_EQ(error_of("1 qid:1 100001:1\n"),
            "data.txt:1: feature index '100001:1' is too large (at most 100000)");
  EXPECT_EQ(error_of("1 qid:1 99999999999999999999999:1\n").substr(0, 38),
            "data.txt:1: feature index '99999999999");
  EXPECT_EQ(error_of("1 qid:5 1:1\n0 qid:6 1:1\n1 qid:5 1:1\n"),
            "data.txt:3: query 5 appears again after another query (the documents of a query must "
            "be consecutive lines; its first is line 1)");
  EXPECT_EQ(error_of(std::string_view("1 qid:1 1:1\0\n", 13)),
            "data.txt:1: feature 1 is '1\\x00', which is not a number");
  EXPECT_EQ(error_of("1 qid:1 1:1\rx\n").substr(0, 25), "data.txt:1: feature 1 is ");
  EXPECT_EQ(error_of(""), "data.txt: there are no documents");
  EXPECT_EQ(error_of("# only\n\n"), "data.txt: there are no documents");
}

TEST(LetorReader, refuses_what_is_beyond_its_limits) {
  EXPECT_EQ(
      error_of("1 qid:1 1:1 # " + std::string(100, 'x'), {.line_bytes = 50, .buffer_bytes = 8}),
      "data.txt:1: the line is longer than 50 bytes");
  EXPECT_EQ(error_of("1 qid:1 1:1\n1 qid:1 1:1\n", {.text_bytes = 20}),
            "data.txt: more than 20 bytes (that is the most that is read)");
  EXPECT_EQ(
      error_of("1 qid:1 1:1\n1 qid:1 3:1\n", {.matrix_bytes = 20}),
      "data.txt:2: the matrix of features would be too large with feature 3 (at most 20 bytes "
      "as floats, rows times the highest feature index)");
  EXPECT_EQ(error_of("1 qid:1 4:1\n1 qid:1\n", {.matrix_bytes = 20}),
            "data.txt:2: the matrix of features would be too large (at most 20 bytes as floats, "
            "rows times the highest feature index)");
}

// --- files --------------------------------------------------------------------------------------

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  std::string input(text);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(LetorReader, reads_gzip_whatever_the_name) {
  RoundRng rng = Stream(6, 0, Purpose::test, "letor").at(0);
  std::string text;
  for (std::uint64_t i = 0; i < 20; ++i) text = random_letor(rng, 40);
  const TemporaryFile file("packed.txt");
  file.write(gzip(text));
  const auto queries = read_letor_file(file.path());
  ASSERT_TRUE(queries.ok()) << queries.error().to_string();
  EXPECT_EQ(*queries, read(text));
}

TEST(LetorReader, cut_or_broken_gzip_gives_an_error_and_no_part_of_the_data) {
  RoundRng rng = Stream(7, 0, Purpose::test, "letor").at(0);
  std::string packed = gzip(random_letor(rng, 40));
  const TemporaryFile file("cut.gz");
  file.write(packed.substr(0, packed.size() / 2));
  const auto cut = read_letor_file(file.path());
  ASSERT_FALSE(cut.ok());
  EXPECT_NE(cut.error().to_string().find("the gzip data end too early"), std::string::npos)
      << cut.error().to_string();
  file.write(packed.substr(0, packed.size() - 1));
  EXPECT_FALSE(read_letor_file(file.path()).ok());
  packed[packed.size() - 5] = static_cast<char>(packed[packed.size() - 5] ^ 0x55);  // the checksum
  file.write(packed);
  const auto broken = read_letor_file(file.path());
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().to_string().find("broken gzip data"), std::string::npos)
      << broken.error().to_string();
}

TEST(LetorReader, absent_files_and_folders_are_errors) {
  const auto absent = read_letor_file("/nowhere/data.txt");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().to_string(), "/nowhere/data.txt: there is no such file");
  const auto folder = read_letor_file("/");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().to_string(), "/: is a directory, not a file");
}

TEST(LetorReader, query_sizes_beside_the_file_stand_for_queries_in_it) {
  const TemporaryFile data("plain.txt");
  const TemporaryFile sizes("plain.txt.query");
  ASSERT_EQ(sizes.path(), data.path() + ".query");
  data.write("1 1:1\n0 1:2\n2 1:3\n");
  sizes.write("2\n1\n");
  const auto queries = read_letor_file(data.path());
  ASSERT_TRUE(queries.ok()) << queries.error().to_string();
  EXPECT_EQ(queries->num_queries(), 2u);
  EXPECT_EQ(queries->qid(1), 2u);
  EXPECT_EQ(queries->grades(1)[0], 2);
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"2\n", ": the queries have 2 documents, the data 3"},
           {"2\n2\n", ":2: the queries have more than the 3 documents of the data"},
           {"3\n0\n", ":2: '0' is not a number of documents (a whole number, 1 or more)"},
           {"a\n", ":1: 'a' is not a number of documents (a whole number, 1 or more)"}}) {
    sizes.write(text);
    const auto wrong = read_letor_file(data.path());
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().to_string(), sizes.path() + message);
  }
}

struct SharedFile {
  const char* name;
  std::size_t documents;
  std::size_t queries;
  std::size_t features;
  std::size_t grades;
};

TEST(LetorReader, reads_published_files_as_the_literal_reader_does) {
  for (const SharedFile& file : {SharedFile{"ltr/mq2008_fold_test.txt", 2874, 156, 46, 3},
                                 SharedFile{"ltr/mslr_fold1_test_sample.txt", 1900, 18, 136, 5}}) {
    const auto path = shared_file(file.name);
    if (!path) GTEST_SKIP() << "NOT CHECKED: " << file.name << " is absent";
    const auto queries = read_letor_file(*path);
    ASSERT_TRUE(queries.ok()) << queries.error().to_string();
    EXPECT_EQ(queries->num_documents(), file.documents);
    EXPECT_EQ(queries->num_queries(), file.queries);
    EXPECT_EQ(queries->num_features(), file.features);
    EXPECT_EQ(queries->num_grades(), file.grades);
    std::ifstream in(*path);
    expect_same(*queries, read_letor_literally(in));
  }
}

TEST(LetorReader, reads_published_files_with_query_sizes) {
  DUEL_SHARED_FILE(path, "ltr/lightgbm_lambdarank/rank.train");
  const auto queries = read_letor_file(*path);
  ASSERT_TRUE(queries.ok()) << queries.error().to_string();
  EXPECT_EQ(queries->num_documents(), 3005u);
  EXPECT_EQ(queries->num_queries(), 201u);
  EXPECT_EQ(queries->num_features(), 300u);
  EXPECT_EQ(queries->num_grades(), 5u);
}

TEST(LetorReader, reads_files_that_number_features_from_0) {
  const LetorLimits limits{.zero_based = true};
  const JudgedQueries queries = read("1 qid:1 0:5 2:7\n0 qid:1 1:3\n", limits);
  EXPECT_EQ(queries.num_features(), 3U);
  const JudgedQueries twin = read("1 qid:1 1:5 3:7\n0 qid:1 2:3\n");
  for (std::size_t d = 0; d < 2; ++d) {
    const auto one = queries.features(0, d), other = twin.features(0, d);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), other.begin(), other.end()));
  }
  EXPECT_NE(error_of("1 qid:1 0:5 0:7\n", limits).find("feature 0 is given twice"),
            std::string::npos);
  EXPECT_NE(error_of("1 qid:1 2:5 1:7\n", limits).find("feature 1 after feature 2"),
            std::string::npos);
}

}  // namespace
}  // namespace duel
