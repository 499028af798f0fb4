// SPDX-License-Identifier: MIT
// load.exe PLUGIN MAJOR MINOR: loads the plugin as Wireshark does, reads what it says of itself, lets it register.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

int main(int count, char **arguments) {
  if (count != 4) return 2;
  HMODULE plugin = LoadLibraryA(arguments[1]);
  if (plugin == NULL) {
    printf("not loaded: error %lu\n", GetLastError());
    return 1;
  }
  const char *version = (const char *)GetProcAddress(plugin, "plugin_version");
  const int *major = (const int *)GetProcAddress(plugin, "plugin_want_major");
  const int *minor = (const int *)GetProcAddress(plugin, "plugin_want_minor");
  uint32_t (*describe)(void) = (uint32_t(*)(void))GetProcAddress(plugin, "plugin_describe");
  void (*register_plugin)(void) = (void (*)(void))GetProcAddress(plugin, "plugin_register");
  if (!version || !major || !minor || !describe || !register_plugin) {
    puts("not all that Wireshark asks for is there");
    return 1;
  }
  printf("version %s for Wireshark %d.%d, kind %u\n", version, *major, *minor, (unsigned)describe());
  if (*major != atoi(arguments[2]) || *minor != atoi(arguments[3])) return 1;
  register_plugin();
  puts("registered");
  return 0;
}
