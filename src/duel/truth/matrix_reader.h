// Preference matrices in files (docs/formats.md). Three forms, told apart by the first line:
//
//   CSV with a header   arm names, then one line of numbers per arm, in the same order; entry
//                       (i, j) is P(arm i beats arm j). Fields may be quoted as in RFC 4180.
//   CSV of numbers      the same without names; arms are called arm1, arm2, ..
//   text of numbers     separated by spaces or tabs; leading lines that begin with '#' are comments
//
// A first line of numbers only is taken for names (`200,203,206`) where exactly K lines follow it
// and the line after it starts with the diagonal's 0.5, or it does not itself. Blank lines at the
// end, CRLF and a byte order mark are accepted. Errors name file, line and column.
#pragma once

#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "duel/core/result.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// Limits that a real matrix does not meet; a larger file is refused early, in bounded memory.
inline constexpr std::size_t kMostMatrixColumns = 20000;

// `path` may be "-", standard input. The matrix is called after the file, without directory and
// without the ending .csv or .txt; "stdin" for standard input.
Result<PreferenceMatrix> read_matrix_file(const std::string& path);

// The same for a text in memory; `name` stands for the path.
Result<PreferenceMatrix> read_matrix_text(const std::string& name, std::string_view text);

// CSV with a header; numbers in the shortest form that reads back to the same double.
void write_matrix_csv(const PreferenceMatrix& matrix, std::ostream& out);

// The line of arm names, quoted where need be, with its newline.
std::string matrix_csv_header(const std::vector<std::string>& arm_names);

// The file's name without directory, and without its ending where that is one of `endings`.
std::string file_stem(const std::string& path, std::initializer_list<std::string_view> endings);

}  // namespace duel
