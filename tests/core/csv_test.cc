#include "duel/core/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "duel/core/check.h"

namespace duel {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Result<Rows> read_all(std::string_view text) {
  CsvReader reader(text, "t.csv");
  Rows rows;
  while (true) {
    DUEL_ASSIGN(auto record, reader.next());
    if (!record) return rows;
    rows.push_back(std::move(record->fields));
  }
}

std::string error_of(std::string_view text) {
  const auto rows = read_all(text);
  return rows.ok() ? "" : rows.error().to_string();
}

TEST(Csv, quotes_only_what_needs_it) {
  EXPECT_EQ(csv_field("rucb"), "rucb");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("rucb(alpha=0.51,ties=half)"), "\"rucb(alpha=0.51,ties=half)\"");
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
}

TEST(Csv, marks_what_a_spreadsheet_would_run) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_field("+cmd|' /C calc'!A0"), "'+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_field("-2+3"), "'-2+3");
  EXPECT_EQ(csv_field("\t=1"), "'\t=1");
  EXPECT_EQ(csv_field("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(csv_field("=A1,B1"), "\"'=A1,B1\"");
  for (const char* number : {"-5", "+5", "-0.25", "-1e-9", "-inf", "+.5", "-", "="}) {
    EXPECT_EQ(csv_field(number), number);
  }
}

RC_GTEST_PROP(Csv, reads_every_text_that_it_has_written, ()) {
  const auto letter =
      rc::gen::element('\'', '=', '+', '-', '@', '\t', '\r', '\n', '"', ',', '1', 'a');
  const auto texts =
      *rc::gen::container<std::vector<std::string>>(rc::gen::container<std::string>(letter));
  if (texts.size() < 2) return;  // an empty line is no record
  const auto rows = read_all(csv_line(texts));
  RC_ASSERT(rows.ok());
  RC_ASSERT(rows->size() == 1U);
  RC_ASSERT(rows->front() == texts);
}

TEST(Csv, reads_fields_of_every_kind) {
  EXPECT_EQ(*read_all("a,b\n\n1,\"x,\"\"y\"\"\nz\"\r\n,\n"),
            (Rows{{"a", "b"}, {"1", "x,\"y\"\nz"}, {"", ""}}));
  EXPECT_EQ(*read_all("a,b"), (Rows{{"a", "b"}}));
  EXPECT_EQ(*read_all(""), Rows{});
}

TEST(Csv, says_at_which_line_a_record_begins) {
  CsvReader reader("a\n\"1\n2\"\nb\n", "t.csv");
  EXPECT_EQ((*reader.next())->line, 1U);
  EXPECT_EQ((*reader.next())->line, 2U);
  EXPECT_EQ((*reader.next())->line, 4U);
}

TEST(Csv, says_what_is_wrong_and_where) {
  EXPECT_EQ(error_of("a\n\"b\nc"), "t.csv:2: a quoted field is not closed");
  EXPECT_EQ(error_of("a\nb\"c\n"), "t.csv:2: a quote inside an unquoted field");
  EXPECT_EQ(error_of("a\n\n\"b\"c\n"), "t.csv:3: text after the closing quote of a field");
}

std::string table_error_of(std::string_view text) {
  const auto table = CsvTable::open(text, "t.csv", "name,size");
  return table.ok() ? "" : table.error().to_string();
}

TEST(CsvTable, is_read_by_the_names_of_its_columns) {
  CsvTable table = CsvTable::open("name,size\na,3\nb,\n", "t.csv", "name,size").value();
  ASSERT_TRUE(table.next().value());
  EXPECT_EQ(table.text("name"), "a");
  EXPECT_EQ(table.number("size").value(), 3);
  EXPECT_EQ(table.count("size", 0, 3).value(), 3U);
  EXPECT_EQ(table.count("size", 4, 9).error().to_string(),
            "t.csv:2: column 'size': '3' is out of range (4 .. 9)");
  EXPECT_EQ(table.number("name").error().to_string(),
            "t.csv:2: column 'name': 'a' is not a number");
  EXPECT_THROW(table.text("weight"), CheckFailure);
  ASSERT_TRUE(table.next().value());
  EXPECT_FALSE(table.number("size").ok());
  EXPECT_TRUE(std::isnan(table.number_or_undefined("size").value()));
  EXPECT_FALSE(table.next().value());
}

TEST(CsvTable, must_have_the_columns_that_are_asked_for) {
  EXPECT_EQ(table_error_of("name,size\n"), "");
  EXPECT_EQ(table_error_of(""), "t.csv: the file is empty");
  EXPECT_EQ(table_error_of("name\n"),
            "t.csv:1: the column 'size' is missing (the columns are name,size)");
  EXPECT_EQ(table_error_of("\nsize,name\n"),
            "t.csv:2: unexpected column 'size' (the columns are name,size)");
  EXPECT_EQ(table_error_of("name,size,age\n"),
            "t.csv:1: unexpected column 'age' (the columns are name,size)");
  CsvTable table = CsvTable::open("name,size\na\n", "t.csv", "name,size").value();
  EXPECT_EQ(table.next().error().to_string(), "t.csv:2: 1 field instead of 2");
}

RC_GTEST_PROP(Csv, reads_back_what_it_wrote, ()) {
  const auto field = rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::element('a', ',', '"', '\n', '\r', ' '), rc::gen::arbitrary<char>()));
  const auto rows =
      *rc::gen::container<Rows>(rc::gen::container<std::vector<std::string>>(3, field));
  std::string text;
  for (const auto& row : rows) text += csv_line(row);
  const auto read = read_all(text);
  RC_ASSERT(read.ok());
  RC_ASSERT(*read == rows);
}

}  // namespace
}  // namespace duel
