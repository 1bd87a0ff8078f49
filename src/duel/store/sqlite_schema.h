// The tables of an SQLite store, and how a database of an older version is brought up to date.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "duel/core/result.h"
#include "duel/store/sqlite.h"

namespace duel {

// "duel" in ASCII, in the header of the file: what tells our databases from others.
inline constexpr std::uint32_t kSqliteApplicationId = 0x6475656c;

// Step k leads from version k to version k + 1; version 0 is an empty file. A step that was
// released never changes: the next version is a new step at the end.
std::span<const std::string_view> sqlite_schema_steps();

// The version of the database. An error if it is not ours, or newer than `steps`.
Result<std::size_t> sqlite_schema_version(SqliteConnection& connection,
                                          std::span<const std::string_view> steps);
// Takes the steps that are missing, each in a transaction with its version number.
Status bring_up_to_date(SqliteConnection& connection, std::span<const std::string_view> steps);

}  // namespace duel
