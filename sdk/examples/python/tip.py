#!/usr/bin/python3
"""A module in Python: shakes hands, asks for the tip, and logs every new block. docs/modules/layouts.md has every layout."""

import os
import socket
import struct
import sys
import time

# Messages, requests, answers, events and levels stand for their places in docs/modules/layouts.md.
REQUEST, RESPONSE, EVENT, LOG = 0, 1, 2, 3
HANDSHAKE, GET_CHAIN_TIP, GET_BLOCK_HEIGHT, SUBSCRIBE_EVENTS = 0, 5, 6, 8
NEW_BLOCK = 0
INFO = 2


def text(value):
    utf8 = value.encode()
    return struct.pack("<Q", len(utf8)) + utf8


class Node:
    """The connection to the node."""

    def __init__(self):
        self.id = os.environ["MODULE_ID"]
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(os.environ["SOCKET_PATH"])
        self.asked = 0
        self.events = []

    def send(self, message):
        self.socket.sendall(struct.pack("<I", len(message)) + message)

    def read(self, size):
        found = b""
        while len(found) < size:
            more = self.socket.recv(size - len(found))
            if not more:
                sys.exit(0)  # The node unloads the module, or stops.
            found += more
        return found

    def receive(self):
        (length,) = struct.unpack("<I", self.read(4))
        return self.read(length)

    def ask(self, request, fields=b""):
        """The fields of the answer. Events that come before it are kept."""
        self.asked += 1
        self.send(struct.pack("<IQII", REQUEST, self.asked, request, request) + fields)
        while True:
            message = self.receive()
            (kind,) = struct.unpack_from("<I", message)
            if kind == EVENT:
                self.events.append(message)
            elif kind == RESPONSE:
                answered, success, has_payload = struct.unpack_from("<QBB", message, 4)
                if answered != self.asked:
                    continue
                if not success:
                    sys.exit(message[23:].decode())
                return message[18:-1] if has_payload else b""

    def log(self, line):
        fields = text(self.id) + text(line) + text("tip") + struct.pack("<Q", int(time.time()))
        self.send(struct.pack("<II", LOG, INFO) + fields)

    def next_event(self):
        while not self.events:
            message = self.receive()
            if struct.unpack_from("<I", message) == (EVENT,):
                self.events.append(message)
        return self.events.pop(0)


def main():
    node = Node()
    node.ask(HANDSHAKE, text(node.id) + text(os.environ["MODULE_NAME"]) + text("0.1.0"))
    tip = node.ask(GET_CHAIN_TIP)
    (height,) = struct.unpack("<Q", node.ask(GET_BLOCK_HEIGHT))
    # Hashes are in the order in which they are computed; people write them in reverse.
    node.log(f"tip {tip[::-1].hex()} at {height}")
    node.ask(SUBSCRIBE_EVENTS, struct.pack("<QI", 1, NEW_BLOCK))
    while True:
        event = node.next_event()
        (kind,) = struct.unpack_from("<I", event, 4)
        if kind == NEW_BLOCK:
            block, (height,) = event[12:44], struct.unpack_from("<Q", event, 44)
            node.log(f"block {block[::-1].hex()} at {height}")


main()
