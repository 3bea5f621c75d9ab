/* An HSA runtime with one CPU and one GPU, just enough to be asked for its agents. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint64_t handle; } agent_t;

int hsa_init(void) {
  const char *status = getenv("FAKE_HSA_STATUS");
  puts("a runtime may print too");
  if (getenv("FAKE_HSA_CRASH")) abort();
  return status ? (int)strtol(status, NULL, 0) : 0;
}

int hsa_iterate_agents(int (*visit)(agent_t, void *), void *data) {
  agent_t cpu = {0x100}, gpu = {0xFFFF000000000200};
  int status = visit(cpu, data);
  return status ? status : visit(gpu, data);
}

int hsa_agent_get_info(agent_t agent, int attribute, void *value) {
  int gpu = agent.handle == 0xFFFF000000000200;
  if (attribute == 17) *(uint32_t *)value = gpu ? 1 : 0;
  else if (attribute == 0) strcpy(value, gpu ? "gfx942" : "cpu");
  else if (attribute == 0xA009) strcpy(value, gpu ? "AMD Instinct MI300X" : "CPU");
  else return 1;
  return 0;
}
