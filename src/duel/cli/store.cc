#include "duel/store/store.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "duel/cli/client_options.h"
#include "duel/cli/commands.h"
#include "duel/cli/log_import.h"
#include "duel/client/local_api.h"
#include "duel/client/store_location.h"
#include "duel/core/json.h"
#include "duel/core/numbers.h"
#include "duel/core/table.h"
#include "duel/core/whole_file.h"
#include "duel/experiment/live_experiment.h"
#include "duel/log/experiment_log.h"
#include "duel/server/store_copy.h"
#include "duel/store/nodes.h"
#include "duel/store/postgres_store.h"

namespace duel::cli {
namespace {

constexpr std::string_view kLogEnding = ".duel.jsonl";

struct StoreArguments {
  std::string store;
  std::string file;                // of a backup, or the folder of an export
  std::vector<std::string> files;  // of an import
  std::string from, to;            // of a copy
  bool json = false;
};

// --- check --------------------------------------------------------------------------------------

struct CheckedExperiment {
  std::string id;
  std::uint64_t records = 0;
  std::uint64_t served = 0;
  std::string head{};
  std::string damage{};  // "": none
  std::string note{};
};

// The chain of hashes from the first record to the head, what the records say when they are applied
// one after the other, and how far the store says that it was synced.
CheckedExperiment check_experiment(Store& store, const std::string& id) {
  CheckedExperiment checked{.id = id};
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
Result<int> say_damaged(const Error& error, const StoreArguments& arguments,
                        CommandContext& context) {
  if (error.code != ErrorCode::invalid_data) return error;
  if (arguments.json) {
    const Json json = {
        {"store", store_file(arguments.store)}, {"sound", false}, {"damage", error.to_string()}};
    context.print(json.dump_pretty());
  }
  print_error(error);
  return kExitMismatch;
}

Result<int> check_store(const StoreArguments& arguments, CommandContext& context) {
  const std::string file = store_file(arguments.store);
  auto store = open_store_for_reading(arguments.store);
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
      context.note("{}: {}", id, checked.note);
    }
    if (checked.damage.empty()) continue;
    sound = false;
    print_error(fmt::format("{}: the experiment '{}' is damaged: {}", file, id, checked.damage));
  }
  if (arguments.json) {
    const Json json = {{"store", file}, {"sound", sound}, {"experiments", experiments}};
    context.print(json.dump_pretty());
  } else if (sound) {
    context.print("{} is sound: {}, {}\n", file, counted(ids->size(), "experiment"),
                  counted(records, "record"));
  }
  return sound ? kExitDone : kExitMismatch;
}

// --- backup, compact, export, import ------------------------------------------------------------

Result<int> back_up_store(const StoreArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const std::shared_ptr<Store> store, open_store_for_reading(arguments.store));
  DUEL_RETURN_IF_ERROR(store->backup(arguments.file));
  return context.done("{} is written\n", arguments.file);
}

Result<int> compact_store(const StoreArguments& arguments, CommandContext& context) {
  const std::string file = store_file(arguments.store);
  if (is_postgres(arguments.store)) {
    DUEL_ASSIGN(const std::shared_ptr<Store> store, open_store(arguments.store));
    DUEL_RETURN_IF_ERROR(store->compact());
    return context.done("{}: unused space can be used again\n", file);
  }
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
  return context.done("{}: {} bytes, before {}\n", file, after, before);
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

Result<int> export_store(const StoreArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const std::shared_ptr<Store> store, open_store_for_reading(arguments.store));
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

Result<int> import_logs(const StoreArguments& arguments, CommandContext& context) {
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
      context.print("{} is imported\n", *imported);
    } else {
      all = false;
      print_error(imported.error());
    }
  }
  return all ? kExitDone : kExitFailure;
}

// --- nodes, copy --------------------------------------------------------------------------------

Result<int> show_nodes(const StoreArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const std::shared_ptr<Store> store, open_store_for_reading(arguments.store));
  Nodes* const nodes = store->nodes();
  if (nodes == nullptr) {
    return Error::unsupported("only one process can use a store in a file",
                              store_file(arguments.store),
                              "'duel store nodes --store postgresql://HOST/DATABASE'");
  }
  DUEL_ASSIGN(const std::vector<NodeState> states, nodes->states());
  DUEL_ASSIGN(const std::vector<Tenure> tenures, nodes->tenures());
  if (arguments.json) {
    Json json = {{"nodes", Json::array()}, {"experiments", Json::array()}};
    for (const NodeState& state : states) {
      json["nodes"].push_back({{"node_id", state.address.node_id},
                               {"url", state.address.url},
                               {"lease_left_ms", state.lease_left_ms},
                               {"experiments", state.experiments}});
    }
    for (const Tenure& tenure : tenures) {
      json["experiments"].push_back({{"experiment_id", tenure.experiment},
                                     {"owner", tenure.owner ? Json(tenure.owner->node_id) : Json()},
                                     {"epoch", tenure.epoch}});
    }
    return context.done(json.dump_pretty());
  }
  Table alive("node,URL", Align::left);
  alive.column("lease left (s)").column("experiments");
  for (const NodeState& state : states) {
    alive.row({state.address.node_id, state.address.url.empty() ? Cell() : Cell(state.address.url),
               Cell(static_cast<double>(state.lease_left_ms) / 1'000, 1), state.experiments});
  }
  Table owned("experiment,owner", Align::left);
  owned.column("epoch");
  for (const Tenure& tenure : tenures) {
    owned.row(
        {tenure.experiment, tenure.owner ? Cell(tenure.owner->node_id) : Cell(), tenure.epoch});
  }
  return context.done(alive.to_string() + "\n" + owned.to_string());
}

Result<int> copy_store(const StoreArguments& arguments, CommandContext& context) {
  DUEL_ASSIGN(const std::shared_ptr<Store> from, open_store_for_reading(arguments.from));
  DUEL_ASSIGN(const std::vector<std::string> ids, from->list());
  DUEL_ASSIGN(const std::shared_ptr<Store> to, open_store(arguments.to));
  bool all = true;
  for (const std::string& id : ids) {
    const auto copied = copy_experiment(*from, *to, id);
    if (!copied.ok()) {
      all = false;
      print_error(fmt::format("{}: {}", id, copied.error().to_string()));
    } else if (copied->copied == 0) {
      context.print("{} was there: {}\n", id, counted(copied->records, "record"));
    } else if (copied->copied < copied->records) {
      context.print("{} is completed: {}, {} of them new\n", id, counted(copied->records, "record"),
                    copied->copied);
    } else {
      context.print("{} is copied: {}\n", id, counted(copied->records, "record"));
    }
  }
  DUEL_ASSIGN(const ServerKey key, copy_server_entries(*from, *to));
  if (key == ServerKey::copied) context.note("tokens and the server's key are copied too");
  if (key == ServerKey::other) {
    context.note("the target has a key of its own: tokens of the source do not work there");
  }
  return all ? kExitDone : kExitFailure;
}

}  // namespace

void add_store_command(Command& program) {
  Command& store = program.add_command(
      "store", "Checks, copies and compacts the database that holds the experiments.");
  store.needs_command = true;
  store.footer = "Examples:\n  duel store check\n  duel store backup duel-2026-11-17.db";

  Command& check = store.add_command(
      "check",
      "Checks the whole store.\n"
      "The pages and indexes of the database, the chain of hashes of every experiment, what its "
      "records say when they are applied in order, and how far the store says that it was synced. "
      "Works while a server uses the store.\n"
      "Exit codes: 0 sound, 5 damaged (what and where is on standard error), 1 cannot be read.");
  StoreArguments& checked = check.runs(check_store);
  add_store_option(check, &checked.store);
  check.add("--json", &checked.json, "Print JSON.");
  check.footer = "Example:\n  duel store check --store backup.db";

  Command& backup = store.add_command(
      "backup",
      "Copies the store as it is at one moment.\n"
      "Works while a server uses the store and takes outcomes. SQLite only: for PostgreSQL use "
      "pg_dump or pg_basebackup. The copy is a store: "
      "'duel store check --store FILE' checks it, and 'duel serve --store FILE' serves it.");
  StoreArguments& backed_up = backup.runs(back_up_store);
  backup.add_required("FILE", not_empty(&backed_up.file), "File to write; it must not exist.");
  add_store_option(backup, &backed_up.store);
  backup.footer = "Example:\n  duel store backup duel-2026-11-17.db";

  Command& compact = store.add_command(
      "compact",
      "Gives unused space back to the file system. No server may use the store.\nOn PostgreSQL it "
      "lets the database use the space again (VACUUM), and servers may go on.");
  add_store_option(compact, &compact.runs(compact_store).store);
  compact.footer = "Example:\n  duel store compact";

  Command& exported = store.add_command(
      "export",
      "Writes one log for each experiment.\n"
      "'duel verify' and 'duel result' read the logs, and 'duel store import' takes them back. "
      "Tokens and secrets stay in the store. Works while a server uses the store.");
  StoreArguments& written = exported.runs(export_store);
  exported.add_required("DIR", not_empty(&written.file),
                        "Directory for the files ID.duel.jsonl; none of them may exist.");
  add_store_option(exported, &written.store);
  exported.footer = "Example:\n  duel store export logs";

  Command& imported = store.add_command(
      "import",
      "Creates experiments from logs.\nA log whose chain of hashes is broken is refused, and so is "
      "one whose experiment exists with other records. The same log again changes nothing.");
  StoreArguments& taken = imported.runs(import_logs);
  imported.add_required("FILES LOG", not_empty(&taken.files), "Logs, or directories of logs.");
  add_store_option(imported, &taken.store);
  imported.footer = "Examples:\n  duel store import logs\n  duel store import logo.duel.jsonl";

  Command& copied = store.add_command(
      "copy",
      "Copies every experiment of one store to another, record by record.\n"
      "The chains of hashes stay the same. What the target has must be the beginning of what the "
      "source has, and is completed: run it again after an interruption, or to catch up. An "
      "experiment that the target has with other records is refused, and the others are copied. "
      "Tokens and the server's key are copied once, into a store that has no key yet. Works while "
      "a server uses the source.");
  StoreArguments& copying = copied.runs(copy_store);
  copied.add_required("FROM", not_empty(&copying.from), "The store to read.");
  copied.add_required("TO", not_empty(&copying.to), "The store to write; it may be new.");
  copied.footer = "Example:\n  duel store copy duel.db postgresql://db.example.org/duel";

  Command& nodes = store.add_command(
      "nodes",
      "Shows the servers that share a store on PostgreSQL.\n"
      "Each with the rest of its lease, negative if it has run out, and the experiments that it "
      "owns; then each experiment with its owner, if that is alive, and its epoch, which grows "
      "with every change of owner.");
  StoreArguments& shown = nodes.runs(show_nodes);
  add_store_option(nodes, &shown.store);
  nodes.add("--json", &shown.json, "Print JSON.");
  nodes.footer = "Example:\n  duel store nodes --store postgresql://db.example.org/duel";
}

}  // namespace duel::cli
