#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/cli/api_client.h"
#include "duel/cli/commands.h"
#include "duel/cli/local_api.h"
#include "duel/cli/log_import.h"
#include "duel/cli/store_location.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/experiment_log.h"
#include "duel/experiment/live_experiment.h"
#include "duel/store/sqlite_store.h"

namespace duel::cli {
namespace {

constexpr std::string_view kLogEnding = ".duel.jsonl";

struct Arguments {
  std::string store;
  std::string file;                // of a backup, or the folder of an export
  std::vector<std::string> files;  // of an import
  bool json = false;
};

void add_store_option(Command& command, Arguments& arguments) {
  command.add_configurable("--store FILE", not_empty(&arguments.store),
                           "SQLite database (default $XDG_STATE_HOME/duel/duel.db).");
}

// Beside a server that owns it.
Result<std::unique_ptr<SqliteStore>> open_for_reading(const std::string& location) {
  SqliteOptions options;
  options.access = SqliteAccess::read;
  return SqliteStore::open(store_file(location), options);
}

// --- check --------------------------------------------------------------------------------------

struct CheckedExperiment {
  std::string id;
  std::uint64_t records = 0;
  std::uint64_t served = 0;
  std::string head;
  std::string damage;  // "": none
  std::string note;
};

// The chain of hashes from the first record to the head, what the records say when they are applied
// one after the other, and how far the store says that it was synced.
CheckedExperiment check_experiment(Store& store, const std::string& id) {
  CheckedExperiment checked{.id = id, .head = ""};
  std::optional<LiveExperiment> live;
  const auto sink = [&](const LogEntry& entry) -> Status {
    if (const auto* experiment = std::get_if<ExperimentRecord>(&entry.record)) {
      if (experiment->experiment_id != id) {
        return Error::invalid_data(
            fmt::format("the records are those of '{}'", experiment->experiment_id));
      }
      DUEL_ASSIGN(LiveExperiment made, LiveExperiment::make(*experiment));
      live.emplace(std::move(made));
      return Done{};
    }
    DUEL_RETURN_IF_ERROR(live->apply(entry));
    return Done{};
  };
  // The server may append between the two: what is checked has at least the head that was there.
  const auto head = store.head(id);
  const auto mark = store.synced(id);
  const auto extent = read_log(store, id, sink);
  if (!head.ok() || !mark.ok() || !extent.ok()) {
    const Error& error = !head.ok() ? head.error() : !mark.ok() ? mark.error() : extent.error();
    checked.damage = error.to_string();
    return checked;
  }
  checked.records = extent->records;
  checked.head = extent->head;
  if (live) checked.served = live->ledger().served();
  if (!live) {
    checked.damage = "there is no first record";
  } else if (extent->records < head->sequence) {
    checked.damage = fmt::format("{} of {} records are there", extent->records, head->sequence);
  } else if (extent->records == head->sequence && extent->head != head->hash) {
    checked.damage = "the last record is not the one that the store names as its head";
  } else if (*mark > extent->records) {
    checked.damage = fmt::format("the store says that {} records were synced, and has {}", *mark,
                                 extent->records);
  } else if (live->divergence()) {
    checked.note =
        fmt::format("another version of Duel chose the pairs: {}", live->divergence()->message);
  }
  return checked;
}

Json to_json(const CheckedExperiment& checked) {
  Json json = {{"experiment_id", checked.id},
               {"records", checked.records},
               {"duels", checked.served},
               {"head", checked.head},
               {"sound", checked.damage.empty()}};
  if (!checked.damage.empty()) json["damage"] = checked.damage;
  if (!checked.note.empty()) json["note"] = checked.note;
  return json;
}

// What is wrong with the file itself.
Result<int> say_damaged(const Error& error, const Arguments& arguments, CommandContext& context) {
  if (error.code != ErrorCode::invalid_data) return error;
  if (arguments.json) {
    Json json;
    json["store"] = store_file(arguments.store);
    json["sound"] = false;
    json["damage"] = error.to_string();
    context.print(json.dump_pretty());
  }
  print_error(error);
  return kExitMismatch;
}

Result<int> run_check(const Arguments& arguments, CommandContext& context) {
  const std::string file = store_file(arguments.store);
  auto store = open_for_reading(arguments.store);
  if (!store.ok()) return say_damaged(store.error(), arguments, context);
  if (const Status sound = (*store)->check(); !sound.ok()) {
    return say_damaged(sound.error(), arguments, context);
  }
  const auto ids = (*store)->list();
  if (!ids.ok()) return say_damaged(ids.error(), arguments, context);
  Json experiments = Json::array();
  bool sound = true;
  std::uint64_t records = 0;
  for (const std::string& id : *ids) {
    const CheckedExperiment checked = check_experiment(**store, id);
    experiments.push_back(to_json(checked));
    records += checked.records;
    if (!checked.note.empty() && !arguments.json) {
      context.note(fmt::format("{}: {}", id, checked.note));
    }
    if (checked.damage.empty()) continue;
    sound = false;
    print_error(fmt::format("{}: the experiment '{}' is damaged: {}", file, id, checked.damage));
  }
  if (arguments.json) {
    Json json;
    json["store"] = file;
    json["sound"] = sound;
    json["experiments"] = std::move(experiments);
    context.print(json.dump_pretty());
  } else if (sound) {
    context.print(fmt::format("{} is sound: {}, {}\n", file, counted(ids->size(), "experiment"),
                              counted(records, "record")));
  }
  return sound ? kExitDone : kExitMismatch;
}

// --- backup, compact, export, import ------------------------------------------------------------

Result<int> run_backup(const Arguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const std::unique_ptr<SqliteStore> store, open_for_reading(arguments.store));
  DUEL_RETURN_IF_ERROR(store->backup(arguments.file));
  context.print(fmt::format("{} is written\n", arguments.file));
  return kExitDone;
}

Result<int> run_compact(const Arguments& arguments, CommandContext& context) {
  const std::string file = store_file(arguments.store);
  if (!std::filesystem::exists(file)) return Error::not_found("there is no such store", file);
  const auto before = std::filesystem::file_size(file);
  auto store = open_store(arguments.store);
  if (!store.ok()) {
    Error error = store.error();
    if (error.code == ErrorCode::conflict) error.hint = "stop it first";
    return error;
  }
  DUEL_RETURN_IF_ERROR((*store)->compact());
  const auto after = std::filesystem::file_size(file);
  context.print(fmt::format("{}: {} bytes, before {}\n", file, after, before));
  return kExitDone;
}

Status export_log(Store& store, const std::string& id, const std::filesystem::path& target) {
  std::error_code unknown;
  if (std::filesystem::exists(target, unknown)) {
    return Error::conflict("the file exists", target.string(), "choose another directory");
  }
  DUEL_ASSIGN(AtomicFile file, AtomicFile::create(target));
  const auto write = [&](std::string_view line) -> Status {
    DUEL_RETURN_IF_ERROR(file.write(line));
    return file.write("\n");
  };
  DUEL_RETURN_IF_ERROR(store.read(id, 0, write));
  return file.commit();
}

Result<int> run_export(const Arguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const std::unique_ptr<SqliteStore> store, open_for_reading(arguments.store));
  DUEL_ASSIGN(const std::vector<std::string> ids, store->list());
  DUEL_RETURN_IF_ERROR(make_directory(arguments.file));
  for (const std::string& id : ids) {
    const std::filesystem::path target =
        std::filesystem::path(arguments.file) / (id + std::string(kLogEnding));
    DUEL_RETURN_IF_ERROR(export_log(*store, id, target));
    context.print(target.string() + "\n");
  }
  if (ids.empty()) context.note("there are no experiments");
  return kExitDone;
}

// A folder stands for the logs in it.
Result<std::vector<std::string>> logs_in(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    std::error_code failed;
    if (!std::filesystem::is_directory(name, failed)) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(name, failed)) {
      if (entry.is_regular_file(failed) && begins_as_log(entry.path())) {
        found.push_back(entry.path().string());
      }
    }
    if (failed) return Error::io("cannot be read: " + failed.message(), name);
    if (found.empty()) return Error::not_found("no file in it is a log", name);
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Result<int> run_import(const Arguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const std::vector<std::string> files, logs_in(arguments.files));
  DUEL_ASSIGN(const std::unique_ptr<LocalApi> store, LocalApi::open(arguments.store));
  bool all = true;
  for (const std::string& file : files) {
    const auto imported = [&]() -> Result<std::string> {
      DUEL_ASSIGN(const std::string text, read_whole_file(file, kMostBytesOfLog));
      DUEL_ASSIGN(const std::string id, experiment_of_log(text, file));
      if (const Status done = import_log(*store, id, text); !done.ok()) {
        Error error = done.error();
        if (error.where.empty()) error.where = file;
        return error;
      }
      return id;
    }();
    if (imported.ok()) {
      context.print(fmt::format("{} is imported\n", *imported));
    } else {
      all = false;
      print_error(imported.error());
    }
  }
  return all ? kExitDone : kExitFailure;
}

}  // namespace

void add_store_command(Command& program) {
  Command& store = program.add_command(
      "store", "Checks, copies and compacts the SQLite database that holds the experiments.");
  store.needs_command = true;
  store.footer = "Examples:\n  duel store check\n  duel store backup duel-2026-11-17.db";

  Command& check = store.add_command(
      "check",
      "Checks the whole store.\n"
      "The pages and indexes of the database, the chain of hashes of every experiment, what its "
      "records say when they are applied in order, and how far the store says that it was synced. "
      "Works while a server uses the store.\n"
      "Exit codes: 0 sound, 5 damaged (what and where is on standard error), 1 cannot be read.");
  Arguments& checked = check.runs(run_check);
  add_store_option(check, checked);
  check.add("--json", &checked.json, "Print JSON.");
  check.footer = "Example:\n  duel store check --store backup.db";

  Command& backup = store.add_command(
      "backup",
      "Copies the store as it is at one moment.\n"
      "Works while a server uses the store and takes outcomes. The copy is a store: "
      "'duel store check --store FILE' checks it, and 'duel serve --store FILE' serves it.");
  Arguments& backed_up = backup.runs(run_backup);
  backup.add_required("FILE", not_empty(&backed_up.file), "File to write; it must not exist.");
  add_store_option(backup, backed_up);
  backup.footer = "Example:\n  duel store backup duel-2026-11-17.db";

  Command& compact = store.add_command(
      "compact", "Gives unused space back to the file system. No server may use the store.");
  Arguments& compacted = compact.runs(run_compact);
  add_store_option(compact, compacted);
  compact.footer = "Example:\n  duel store compact";

  Command& exported = store.add_command(
      "export",
      "Writes one log for each experiment.\n"
      "'duel verify' and 'duel result' read the logs, and 'duel store import' takes them back. "
      "Tokens and secrets stay in the store. Works while a server uses the store.");
  Arguments& written = exported.runs(run_export);
  exported.add_required("DIR", not_empty(&written.file),
                        "Directory for the files ID.duel.jsonl; none of them may exist.");
  add_store_option(exported, written);
  exported.footer = "Example:\n  duel store export logs";

  Command& imported = store.add_command(
      "import",
      "Makes experiments of logs.\n"
      "A log whose chain of hashes is broken is refused, and so is one whose experiment exists "
      "with other records. The same log again changes nothing.");
  Arguments& taken = imported.runs(run_import);
  imported.add_required("FILES LOG", not_empty(&taken.files), "Logs, or directories of logs.");
  add_store_option(imported, taken);
  imported.footer = "Examples:\n  duel store import logs\n  duel store import logo.duel.jsonl";
}

}  // namespace duel::cli
