#include "plan.h"

#include <fstream>
#include <functional>
#include <map>
#include <sstream>

namespace replay {
namespace {

// The rest of a line: names and paths may hold spaces.
std::string rest(std::istringstream& line) {
  std::string text;
  std::getline(line >> std::ws, text);
  return text;
}

Region& last_region(Plan& plan) {
  if (plan.regions.empty()) throw Failure("the plan has changes before its first region");
  return plan.regions.back();
}

void read_region(Plan& plan, std::istringstream& line) {
  Region region;
  std::string kind;
  line >> region.base >> region.size >> kind;
  region.host = kind == "host";
  region.code = kind == "code";
  region.before = rest(line);
  plan.regions.push_back(region);
}

void read_run(Plan& plan, std::istringstream& line) {
  Run run;
  line >> run.first >> run.count >> run.offset;
  last_region(plan).runs.push_back(run);
}

void read_packet(Plan& plan, std::istringstream& line) {
  line >> plan.header >> plan.setup;
  for (uint16_t& size : plan.shape.block) line >> size;
  for (uint32_t& size : plan.shape.grid) line >> size;
}

Scene& last_scene(Plan& plan) {
  if (plan.scenes.empty()) throw Failure("the plan has edits before its first scene");
  return plan.scenes.back();
}

void read_scene(Plan& plan, std::istringstream&) {
  plan.scenes.push_back({plan.shape, std::vector<std::vector<Edit>>(1)});
}

void read_shape(Plan& plan, std::istringstream& line) {
  Shape& shape = last_scene(plan).shape;
  for (uint16_t& size : shape.block) line >> size;
  for (uint32_t& size : shape.grid) line >> size;
  line >> shape.more_group_bytes;
}

void read_edit(Plan& plan, std::istringstream& line) {
  Edit edit;
  line >> edit.address >> edit.size >> edit.offset;
  last_scene(plan).launches.back().push_back(edit);
}

void read_variable(Plan& plan, std::istringstream& line) {
  Variable variable;
  line >> variable.address >> variable.size;
  variable.name = rest(line);
  plan.variables.push_back(variable);
}

void read_in_place(Plan& plan, std::istringstream& line) {
  Variant variant;
  line >> variant.kernel_object >> variant.private_bytes >> variant.group_bytes;
  plan.variants.push_back(variant);
}

void read_loaded(Plan& plan, std::istringstream& line) {
  Variant variant;
  line >> variant.symbol >> variant.private_bytes >> variant.group_bytes;
  variant.hsaco = rest(line);
  plan.variants.push_back(variant);
}

using Reader = std::function<void(Plan&, std::istringstream&)>;

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> all = {
      {"runtime", [](Plan& p, std::istringstream& l) { p.runtime = rest(l); }},
      {"result", [](Plan& p, std::istringstream& l) { p.result = rest(l); }},
      {"dump", [](Plan& p, std::istringstream& l) { p.dump = rest(l); }},
      {"target", [](Plan& p, std::istringstream& l) { p.target = rest(l); }},
      {"device", [](Plan& p, std::istringstream& l) { l >> p.device; }},
      {"iterations", [](Plan& p, std::istringstream& l) { l >> p.iterations; }},
      {"warmup", [](Plan& p, std::istringstream& l) { l >> p.warmup; }},
      {"shuffle",
       [](Plan& p, std::istringstream& l) { p.shuffled = static_cast<bool>(l >> p.seed); }},
      {"timeout", [](Plan& p, std::istringstream& l) { l >> p.timeout; }},
      {"check-only", [](Plan& p, std::istringstream&) { p.check_only = true; }},
      {"no-steering", [](Plan& p, std::istringstream&) { p.steering = false; }},
      {"no-recopy", [](Plan& p, std::istringstream&) { p.recopy = false; }},
      {"packet", read_packet},
      {"reserved", [](Plan& p, std::istringstream& l) { l >> p.reserved0 >> p.reserved2; }},
      {"queue",
       [](Plan& p, std::istringstream& l) { l >> p.queue.size >> p.queue.type >> p.queue.index; }},
      {"kernarg", [](Plan& p, std::istringstream& l) { l >> p.kernarg; }},
      {"kernarg-file", [](Plan& p, std::istringstream& l) { p.kernarg_file = rest(l); }},
      {"queue-pointer",
       [](Plan& p, std::istringstream& l) { l >> p.queue_pointers.emplace_back(); }},
      {"region", read_region},
      {"changes", [](Plan& p, std::istringstream& l) { last_region(p).after = rest(l); }},
      {"run", read_run},
      {"variable", read_variable},
      {"in-place", read_in_place},
      {"loaded", read_loaded},
      {"edits", [](Plan& p, std::istringstream& l) { p.edits = rest(l); }},
      {"first-scene", [](Plan& p, std::istringstream& l) { l >> p.first_scene; }},
      {"scene", read_scene},
      {"shape", read_shape},
      {"edit", read_edit},
      {"again", [](Plan& p, std::istringstream&) { last_scene(p).launches.emplace_back(); }},
  };
  return all;
}

}  // namespace

Plan read_plan(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Failure("cannot read the plan " + path);
  Plan plan;
  std::string text;
  for (unsigned number = 1; std::getline(file, text); ++number) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    const auto reader = readers().find(word);
    if (reader != readers().end()) reader->second(plan, line);
    if (reader == readers().end() || line.fail()) {
      throw Failure("line " + std::to_string(number) + " of the plan makes no sense: " + text);
    }
  }
  return plan;
}

}  // namespace replay
