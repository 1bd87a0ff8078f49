// `duel run` in a directory of its own, with judges that are small shell scripts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/cli/run_command.h"

namespace duel {

class JudgedDirectory : public ::testing::Test {
 protected:
  using Json = nlohmann::json;

  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((directory_.path() / name).parent_path());
    return directory_.write(name, content);
  }
  void script(const std::string& name, const std::string& body) const {
    const std::string path = write(name, "#!/bin/sh\n" + body);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  // The beginning of a judge called as `./judge {first.id} {second.id} {duel_id}`: a number $n that
  // depends on the duel's id and `seed` alone, as good as drawn.
  static std::string lot(const std::string& seed = "0") {
    return "n=$(printf '%s' \"$3-" + seed + "\" | sha256sum | cut -c1-7); n=$((0x$n))\n";
  }
  // And its end: `$winner` is the id of the arm that it prefers.
  static std::string say_winner() {
    return "[ \"$1\" = \"$winner\" ] && echo first || echo second\n";
  }

  static std::vector<std::string> complete(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    if (std::find(arguments.begin(), arguments.end(), "--judge") == arguments.end()) {
      arguments.insert(arguments.end(), {"--judge", "./judge {first.id} {second.id} {duel_id}"});
    }
    arguments.insert(arguments.end(), {"--retry-delay", "0.001"});
    return arguments;
  }
  CommandResult duel(std::vector<std::string> arguments) const {
    return run_duel(complete(std::move(arguments)), {.directory = directory_.path()});
  }
  CommandResult verify(const std::string& log, std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"verify", "--log", log});
    return run_duel(arguments, {.directory = directory_.path()});
  }

  std::string text_of(const std::string& name) const {
    return content_of(directory_.path() / name);
  }
  std::vector<Json> records(const std::string& log) const {
    std::vector<Json> all;
    std::istringstream lines(text_of(log));
    for (std::string line; std::getline(lines, line);) {
      Json record = Json::parse(line, nullptr, false);
      if (!record.is_discarded()) all.push_back(std::move(record));  // a line being written
    }
    return all;
  }
  // The ids in the records of a kind, in their order.
  std::vector<std::string> ids(const std::string& log, const std::string& kind) const {
    std::vector<std::string> found;
    for (const Json& record : records(log)) {
      if (record["record"] == kind) found.push_back(record["duel_id"].get<std::string>());
    }
    return found;
  }
  // What became of each duel: "outcome", "expired", both, or "" while it is out.
  std::map<std::string, std::string> fates(const std::string& log) const {
    std::map<std::string, std::string> found;
    for (const Json& record : records(log)) {
      const std::string kind = record["record"];
      if (kind == "serve") {
        EXPECT_TRUE(found.emplace(record["duel_id"], "").second) << "served twice";
      }
      if (kind == "outcome" || kind == "expired") found.at(record["duel_id"]) += kind;
    }
    return found;
  }
  static Json check_named(const Json& checks, const std::string& name) {
    for (const Json& check : checks) {
      if (check["name"] == name) return check;
    }
    return {};
  }

  // Until it is true: a busy machine may take its time.
  template <class Condition>
  static void wait_until(const Condition& condition) {
    for (int tries = 0; tries < 6000; ++tries) {
      if (condition()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    FAIL() << "it does not happen";
  }
  std::size_t count(const std::string& log, const std::string& kind) const {
    return ids(log, kind).size();
  }

  TemporaryDirectory directory_;
};

}  // namespace duel
