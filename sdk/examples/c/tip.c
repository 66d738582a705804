/*
 * A module in C: shakes hands, asks for the tip, and logs every new block. docs/modules/layouts.md has every layout.
 * Build it with: cc -O2 -o target/release/tip tip.c
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Messages, requests, answers, events and levels stand for their places in docs/modules/layouts.md. */
enum { REQUEST, RESPONSE, EVENT, LOG };
enum { HANDSHAKE = 0, GET_CHAIN_TIP = 5, GET_BLOCK_HEIGHT = 6, SUBSCRIBE_EVENTS = 8 };
enum { NEW_BLOCK = 0, INFO = 2, HASH_BYTES = 32 };

/* Where the fields of an answer and of an event begin. */
enum { ANSWER = 18, NEWS = 12 };

static int node;
static uint64_t asked;

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

/* A message that is being written. */
struct message {
  uint8_t bytes[4096];
  size_t length;
};

static void put(struct message *to, uint64_t value, size_t size) {
  if (to->length + size > sizeof to->bytes) fail("the message is too long");
  for (size_t i = 0; i < size; i++) to->bytes[to->length++] = (uint8_t)(value >> (8 * i));
}

static void put_text(struct message *to, const char *text) {
  size_t length = strlen(text);
  put(to, length, 8);
  for (size_t i = 0; i < length; i++) put(to, (uint8_t)text[i], 1);
}

static void write_all(const uint8_t *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(node, bytes, length);
    if (written <= 0) fail("the node is gone");
    bytes += written;
    length -= (size_t)written;
  }
}

static void send_message(const struct message *message) {
  struct message length = { .length = 0 };
  put(&length, message->length, 4);
  write_all(length.bytes, length.length);
  write_all(message->bytes, message->length);
}

static uint64_t number_at(const uint8_t *bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static void read_all(uint8_t *bytes, size_t length) {
  while (length > 0) {
    ssize_t got = read(node, bytes, length);
    if (got <= 0) exit(0); /* The node unloads the module, or stops. */
    bytes += got;
    length -= (size_t)got;
  }
}

/* Reads a message. This module asks for nothing that is longer. */
static size_t receive(uint8_t *bytes, size_t room) {
  uint8_t length[4];
  read_all(length, sizeof length);
  size_t size = (size_t)number_at(length, sizeof length);
  if (size > room) fail("the node sent a message that is too long");
  read_all(bytes, size);
  return size;
}

static void begin(struct message *request, uint32_t type) {
  request->length = 0;
  put(request, REQUEST, 4);
  put(request, ++asked, 8);
  put(request, type, 4);
  put(request, type, 4);
}

/* Waits for the answer to the last request. This module has subscribed to nothing before its last request. */
static void answer(uint8_t *bytes, size_t room) {
  for (;;) {
    receive(bytes, room);
    if (number_at(bytes, 4) != RESPONSE || number_at(bytes + 4, 8) != asked) continue;
    if (bytes[12] == 0) fail("the node refused a request");
    return;
  }
}

static void ask(uint32_t type, uint8_t *bytes, size_t room) {
  struct message request;
  begin(&request, type);
  send_message(&request);
  answer(bytes, room);
}

static void log_place(const char *what, const uint8_t *hash, uint64_t height) {
  /* Hashes are in the order in which they are computed; people write them in reverse. */
  char text[128], digits[2 * HASH_BYTES + 1];
  for (int i = 0; i < HASH_BYTES; i++) snprintf(digits + 2 * i, 3, "%02x", hash[HASH_BYTES - 1 - i]);
  snprintf(text, sizeof text, "%s %s at %llu", what, digits, (unsigned long long)height);
  struct message line = { .length = 0 };
  put(&line, LOG, 4);
  put(&line, INFO, 4);
  put_text(&line, getenv("MODULE_ID"));
  put_text(&line, text);
  put_text(&line, "tip");
  put(&line, (uint64_t)time(NULL), 8);
  send_message(&line);
}

int main(void) {
  const char *path = getenv("SOCKET_PATH"), *id = getenv("MODULE_ID"), *name = getenv("MODULE_NAME");
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  if (path == NULL || id == NULL || name == NULL) fail("a module is started by its node");
  if (strlen(path) >= sizeof address.sun_path) fail("the path of the socket is too long");
  strcpy(address.sun_path, path);
  node = socket(AF_UNIX, SOCK_STREAM, 0);
  if (node < 0 || connect(node, (struct sockaddr *)&address, sizeof address) != 0) fail("no connection to the node");

  uint8_t received[4096], tip[HASH_BYTES];
  struct message request;
  begin(&request, HANDSHAKE);
  put_text(&request, id);
  put_text(&request, name);
  put_text(&request, "0.1.0");
  send_message(&request);
  answer(received, sizeof received);

  ask(GET_CHAIN_TIP, received, sizeof received);
  memcpy(tip, received + ANSWER, HASH_BYTES);
  ask(GET_BLOCK_HEIGHT, received, sizeof received);
  log_place("tip", tip, number_at(received + ANSWER, 8));

  begin(&request, SUBSCRIBE_EVENTS);
  put(&request, 1, 8);
  put(&request, NEW_BLOCK, 4);
  send_message(&request);
  for (;;) {
    receive(received, sizeof received);
    if (number_at(received, 4) != EVENT || number_at(received + 4, 4) != NEW_BLOCK) continue;
    log_place("block", received + NEWS, number_at(received + NEWS + HASH_BYTES, 8));
  }
}
