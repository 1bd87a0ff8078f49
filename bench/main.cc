// duel_bench [WORKLOAD ..]: prints the machine, the command and the tables of each workload.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/workloads.h"
#include "duel/version_info.h"

namespace duel {
namespace {

struct Workload {
  std::string name;
  void (*run)();
};

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = {{"engine", engine_workload},
                                            {"field", field_workload},
                                            {"sampling", sampling_workload},
                                            {"interleaving", interleaving_workload},
                                            {"credit", credit_workload},
                                            {"letor", letor_workload},
                                            {"estimation", estimation_workload},
                                            {"dbgd", dbgd_workload},
                                            {"learn", learn_workload},
                                            {"inference", inference_workload},
                                            {"json", json_workload},
                                            {"log", log_workload},
                                            {"store", store_workload},
                                            {"fold", fold_workload},
                                            {"serve", serve_workload},
                                            {"requests", requests_workload},
                                            {"owners", owners_workload},
                                            {"soak", soak_workload},
                                            {"plan", plan_workload},
                                            {"imed", imed_workload},
                                            {"tune", tune_workload},
                                            {"outstanding", outstanding_workload},
                                            {"reproduce", reproduce_workload}};
  return all;
}

std::string machine() {
  std::string model = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
    if (line.starts_with("CPU part") && model == "unknown processor") {
      model = "CPU part " + line.substr(line.find(':') + 2);
    }
  }
  utsname name{};
  uname(&name);
  return fmt::format("{}, {} x {}", name.machine, std::thread::hardware_concurrency(), model);
}

int run(const std::vector<std::string>& asked) {
  std::vector<const Workload*> chosen;
  for (const Workload& workload : workloads()) {
    if (asked.empty()) chosen.push_back(&workload);
  }
  for (const std::string& name : asked) {
    for (const Workload& workload : workloads()) {
      if (workload.name == name) chosen.push_back(&workload);
    }
  }
  if (chosen.size() < asked.size()) {
    fmt::print(stderr, "duel_bench: unknown workload; there are:");
    for (const Workload& workload : workloads()) fmt::print(stderr, " {}", workload.name);
    fmt::print(stderr, "\n");
    return 2;
  }
  fmt::print(
      "- version: {} ({}, {})\n- machine: {}\n- times are medians of the CPU time of one thread, "
      "unless wall time is said\n",
      kVersion, kCompiler, kBuildType, machine());
  for (const Workload* workload : chosen) {
    fmt::print("\n# Workload {}: duel_bench {}\n", workload->name, workload->name);
    workload->run();
  }
  return 0;
}

}  // namespace
}  // namespace duel

int main(int argc, char** argv) { return duel::run({argv + 1, argv + argc}); }
