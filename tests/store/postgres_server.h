// A PostgreSQL of a test's own: Debian's package, in a temporary directory, on a unix socket only,
// run by an ordinary user and ended with the test.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "duel/store/postgres_store.h"
#include "tests/support/places.h"

namespace duel {

class PostgresServer {
 public:
  // Where the programs are; empty where PostgreSQL is not installed.
  static std::filesystem::path programs() {
    std::error_code none;
    std::vector<std::filesystem::path> found;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
      const std::filesystem::path folder = version.path() / "bin";
      if (std::filesystem::exists(folder / "initdb", none)) found.push_back(folder);
    }
    return found.empty() ? std::filesystem::path() : *std::ranges::max_element(found);
  }
  // The tests that need it skip, and say why.
  static bool available() { return has_postgres() && !programs().empty(); }

  // One for the test program: each test has a database of its own.
  static PostgresServer& shared() {
    static PostgresServer server;
    return server;
  }

  // Lines of postgresql.conf beside ours.
  explicit PostgresServer(const std::string& settings = "") {
    // Its path is that of a socket, and must be short.
    std::string path = (std::filesystem::temp_directory_path() / "duel-pg-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory");
    directory_ = path;
    const passwd* user = ::geteuid() == 0 ? ::getpwnam("nobody") : nullptr;
    if (user != nullptr) {
      user_ = user->pw_uid;
      group_ = user->pw_gid;
      if (::chown(path.c_str(), user_, group_) != 0) {
        throw std::runtime_error("the directory cannot be given away");
      }
    }
    make_data();
    std::ofstream(directory_ / "data/postgresql.conf", std::ios::app)
        << "listen_addresses = ''\n"
        << "unix_socket_directories = '" << directory_.string() << "'\n"
        << "shared_buffers = 4MB\n"
        << "max_connections = 60\n"
        << "min_wal_size = 2MB\n"
        << "max_wal_size = 32MB\n"
        << "autovacuum = off\n"
        << "log_min_messages = fatal\n"
        << settings << "\n";
    run();
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer() {
    crash();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  // A new, empty database, of a user who may do nothing else.
  std::string new_database() {
    const std::string name = fmt::format("d{}", ++databases_);
    if (databases_ == 1) query(location("postgres"), "CREATE ROLE node LOGIN");
    query(location("postgres"), "CREATE DATABASE " + name + " OWNER node");
    return location(name, "node");
  }
  std::string location(const std::string& database, const std::string& user = "duel") const {
    return fmt::format("postgresql://{}@/{}?host={}", user, database, directory_.string());
  }
  const std::filesystem::path& directory() const { return directory_; }
  static std::string socket_name() { return ".s.PGSQL.5432"; }

  // As when the machine loses its power, but for what the system has in its hands.
  void crash() {
    if (server_ <= 0) return;
    ::kill(server_, SIGQUIT);
    wait();
  }
  void stop() {
    ::kill(server_, SIGINT);
    wait();
  }
  void run() {
    server_ = start({(programs() / "postgres").string(), "-D", (directory_ / "data").string()});
    for (;;) {
      std::string answer;
      if (ask(location("postgres"), "SELECT 1", answer)) return;
      if (::waitpid(server_, nullptr, WNOHANG) == server_) {
        throw std::runtime_error("postgres ended: " + output());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  pid_t pid() const { return server_; }

  // What psql prints, one row per line, columns separated by |.
  static std::string query(const std::string& location, const std::string& sql) {
    std::string output;
    EXPECT_TRUE(ask(location, sql, output)) << sql << ": " << output;
    return output;
  }

  // The same, where the database may be away: whether it answered.
  static bool ask(const std::string& location, const std::string& sql, std::string& output) {
    const auto quoted = [](const std::string& text) {
      std::string out = "'";
      for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
      return out + "'";
    };
    const std::string command = (programs() / "psql").string() + " -XqAt -d " + quoted(location) +
                                " -c " + quoted(sql) + " 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return false;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
    if (!output.empty() && output.back() == '\n') output.pop_back();
    return ::pclose(pipe) == 0;
  }

 private:
  // initdb takes seconds on a busy machine, and every test is a process: what it made is kept
  // beside the program.
  void make_data() const {
    namespace fs = std::filesystem;
    const fs::path data = directory_ / "data";
    const std::string program = duel_binary();
    const fs::path kept = fs::path(program).parent_path().parent_path() /
                          ("postgres-" + programs().parent_path().filename().string());
    std::error_code failed;
    if (!program.empty() && fs::exists(kept / "PG_VERSION", failed)) {
      fs::copy(kept, data, fs::copy_options::recursive);
      fs::permissions(data, fs::perms::owner_all);
      if (user_ == 0) return;
      if (::chown(data.c_str(), user_, group_) != 0) throw std::runtime_error("chown failed");
      for (const auto& one : fs::recursive_directory_iterator(data)) {
        if (::chown(one.path().c_str(), user_, group_) != 0)
          throw std::runtime_error("chown failed");
      }
      return;
    }
    const pid_t initdb =
        start({(programs() / "initdb").string(), "-D", data.string(), "-U", "duel", "-A", "trust",
               "--no-sync", "--no-instructions", "--locale=C", "-E", "UTF8", "--wal-segsize=1"});
    int status = 0;
    if (::waitpid(initdb, &status, 0) != initdb || status != 0) {
      throw std::runtime_error("initdb failed: " + output());
    }
    if (program.empty()) return;
    // Of several at once the first one wins.
    fs::path partial = kept;
    partial += fmt::format(".{}", ::getpid());
    fs::copy(data, partial, fs::copy_options::recursive, failed);
    if (!failed) fs::rename(partial, kept, failed);
    if (failed) fs::remove_all(partial, failed);
  }
  pid_t start(const std::vector<std::string>& command) const {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const std::string output = (directory_ / "output").string();
    const std::string folder = directory_.string();
    const pid_t child = ::fork();
    if (child != 0) return child;
    // Here only what may be called after a fork.
    const bool dropped = ::geteuid() != 0 || (::setgroups(0, nullptr) == 0 &&
                                              ::setgid(group_) == 0 && ::setuid(user_) == 0);
    if (!dropped || ::chdir(folder.c_str()) != 0) ::_exit(126);
    // It must not outlive a test that is killed.
    ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
    ::setpgid(0, 0);  // a Ctrl-C is for the test
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, 1);
    ::dup2(file, 2);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  std::string output() const {
    std::ifstream input(directory_ / "output");
    return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
  }
  void wait() {
    ::waitpid(server_, nullptr, 0);
    server_ = 0;
  }

  std::filesystem::path directory_;
  uid_t user_ = 0;
  gid_t group_ = 0;
  pid_t server_ = 0;
  int databases_ = 0;
};

}  // namespace duel

// At the beginning of a test that needs PostgreSQL.
#define DUEL_NEEDS_POSTGRES()                                                            \
  if (!PostgresServer::available()) {                                                    \
    GTEST_SKIP() << "NOT TESTED: PostgreSQL or libpq is missing (scripts/setup --test)"; \
  }
