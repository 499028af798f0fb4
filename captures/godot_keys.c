// SPDX-License-Identifier: MIT
// Writes the keys of a Godot's TLS and DTLS connections into the file that SSLKEYLOGFILE names, for Wireshark to read, and
// has them encrypt with AES: mbedTLS likes ChaCha20 better, which Wireshark does not decrypt in DTLS.
// For a Godot that uses mbedTLS 3 as a shared library, as Debian's 4.x does; in the builds of godotengine.org it is a
// part of the program, and nothing can be put in front of it.
//
//   cc -shared -fPIC -o godot_keys.so godot_keys.c
//   SSLKEYLOGFILE=keys.txt LD_PRELOAD=$PWD/godot_keys.so godot …
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { random_size = 32 };

// By mbedTLS's mbedtls_ssl_key_export_type.
static const char *const labels[] = {
    "CLIENT_RANDOM",
    "CLIENT_EARLY_TRAFFIC_SECRET",
    "EARLY_EXPORTER_SECRET",
    "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
    "SERVER_HANDSHAKE_TRAFFIC_SECRET",
    "CLIENT_TRAFFIC_SECRET_0",
    "SERVER_TRAFFIC_SECRET_0",
};

typedef void export_keys(void *context, int type, const unsigned char *secret, size_t size,
                         const unsigned char *client_random, const unsigned char *server_random, int prf);

static void write_hex(FILE *file, const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) fprintf(file, "%02x", bytes[i]);
}

static void write_keys(void *context, int type, const unsigned char *secret, size_t size,
                       const unsigned char *client_random, const unsigned char *server_random, int prf) {
  (void)context, (void)server_random, (void)prf;
  const char *path = getenv("SSLKEYLOGFILE");
  if (path == NULL || type < 0 || (size_t)type >= sizeof labels / sizeof *labels) return;
  FILE *file = fopen(path, "a");
  if (file == NULL) return;
  fprintf(file, "%s ", labels[type]);
  write_hex(file, client_random, random_size);
  fputc(' ', file);
  write_hex(file, secret, size);
  fputc('\n', file);
  fclose(file);
}

// What mbedTLS has under a name that is ours here. ISO C knows no way from a pointer to a function.
static void find_original(const char *name, void *function) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  memcpy(function, &found, sizeof found);
}

// A program's own wish for the keys is passed over: mbedTLS serves one only.
void mbedtls_ssl_set_export_keys_cb(void *ssl, export_keys *callback, void *context) {
  (void)callback, (void)context;
  void (*set)(void *, export_keys *, void *);
  find_original("mbedtls_ssl_set_export_keys_cb", &set);
  set(ssl, write_keys, NULL);
}

// Of TLS 1.3, and of TLS and DTLS 1.2 with keys of ECDSA and RSA; the list stays.
static const int aes_gcm[] = {0x1301, 0x1302, 0xc02b, 0xc02f, 0xc02c, 0xc030, 0};

int mbedtls_ssl_setup(void *ssl, const void *config) {
  int (*setup)(void *, const void *);
  void (*choose)(const void *, const int *);
  find_original("mbedtls_ssl_setup", &setup);
  find_original("mbedtls_ssl_conf_ciphersuites", &choose);
  choose(config, aes_gcm);
  const int result = setup(ssl, config);
  if (result == 0) mbedtls_ssl_set_export_keys_cb(ssl, NULL, NULL);
  return result;
}
