// Preference matrices by name: those printed in papers, and generators. Named as policies are,
// `bradley-terry(k=64,seed=1,spread=1)`, and the canonical string is the matrix's name in reports.
//
// Random generators draw from Stream(seed, 0, Purpose::generate, name): the same call gives the
// same matrix on every machine up to the last bit of exp, erfc and cos in the C library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "duel/core/catalogue.h"
#include "duel/core/duel.h"
#include "duel/core/result.h"
#include "duel/truth/preference_matrix.h"

namespace duel {

// What `duel matrix generate --list` and the documents say of a named matrix.
struct NamedMatrixFacts {
  std::string name;
  std::string doc;        // what it is, in a line
  std::string source;     // where it is from
  std::string example{};  // a call that works
};

// Fixed matrices first, then generators.
using MatrixKind = CatalogueKind<NamedMatrixFacts, PreferenceMatrix>;
Catalogue<MatrixKind>& matrix_catalogue();

// A named matrix; an unknown name or option is an error with the nearest spelling.
Result<PreferenceMatrix> generate_matrix(const CallSpec& call);

// What a user means by `text`:
//   1. a call of a known name is that matrix, even where a file has the same name
//      (write ./arxiv for the file);
//   2. anything else is a path, read by `read_matrix_file` (`-` is standard input);
//   3. where there is no such file and the text does not look like a path (it has no '/' and no
//      '.'), the error names the nearest known matrix.
Result<PreferenceMatrix> resolve_matrix(std::string_view text);

// Preferences that change at given rounds: which matrix is in force when.
//
//   changing(1=arxiv,10000=random-condorcet(k=6,seed=3))
//
// Each key is the first round of a matrix, which is named as anywhere else. A plain matrix is a
// schedule without changes. `switching(..)` and `drifting(..)` are made of few matrices
// (matrix_changes.h).
struct MatrixSchedule {
  struct Segment {
    Round from = 1;  // its first round; it lasts until the next segment begins
    PreferenceMatrix matrix;
  };
  std::string name;               // of the matrix, or the canonical `changing(..)` and so on
  std::vector<Segment> segments;  // the first begins at round 1; ascending; equally many arms
};

// What a user means by `text`: `changing(..)`, `switching(..)`, `drifting(..)`, or what
// `resolve_matrix` understands.
Result<MatrixSchedule> resolve_schedule(std::string_view text);

}  // namespace duel
