// LETOR / SVMlight text, plain or gzip:
//
//   2 qid:10 1:0.5 3:1e-3 46:0.25 #docid = GX1 inc = 1
//
// a grade, the query, features by ascending 1-based index, and a comment. Features that are not
// named are 0. docs/judged-data.md says what is refused, and why.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "duel/core/result.h"
#include "duel/ranking/letor/judged_queries.h"

namespace duel {

// How much a reader takes before it refuses, and how the file counts.
struct LetorLimits {
  std::size_t line_bytes = std::size_t{16} << 20;
  std::size_t features = 100'000;
  std::uint64_t matrix_bytes = std::uint64_t{64} << 30;  // of the dense matrix
  std::uint64_t text_bytes = ~std::uint64_t{0};          // of the text, unpacked
  bool zero_based = false;                               // features are numbered from 0
  std::size_t buffer_bytes = std::size_t{256} << 10;     // at first; grows to hold a longer line
};

// A whole file or an error with file and line, never a part. `path` may be "-", standard input.
// Lines without a query are taken only where a file `path`.query beside it gives the number of
// documents of each query, one a line (LightGBM); these queries are then numbered from 1.
//
// One pass over chunks of the file; memory is that of the dense float matrix, one grade per
// document, and a buffer.
Result<JudgedQueries> read_letor_file(const std::string& path, const LetorLimits& limits = {});

// The same of plain text in memory; `name` stands for the file in messages.
Result<JudgedQueries> read_letor_text(std::string name, std::string_view text,
                                      const LetorLimits& limits = {});

// Every feature of every document, in the shortest form that reads back to the same float.
void write_letor(const JudgedQueries& queries, std::ostream& out);

}  // namespace duel
