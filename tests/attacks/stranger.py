"""A stranger who reaches the ports of a run and does not know its secret: reads, writes, replays, impersonates, floods, stalls.

A library for strangers.py and stranger_soak.py, and a separate process that can run in another network namespace:
    python3 tests/attacks/stranger.py --ports=FILE --seconds=5 [--listen_on=lo] [--kinds=replay,flood] [--seed=0]
FILE has a line "ADDRESS PORT" for each port to attack, and may change meanwhile. With --listen_on (root) the stranger
captures data that others send to these ports over that device, and replays it. Prints a JSON object: for each kind the
number of attempts, and the number accepted. Every attempt has a bounded number of connections, bytes and seconds.
"""

import argparse
import hashlib
import hmac
import json
import os
import pathlib
import random
import socket
import struct
import threading
import time

MAGIC = b"LOCKSTP1"  # lib/launch/handshake.h
NONCE_BYTES = DIGEST_BYTES = 32
GREETING_BYTES = len(MAGIC) + NONCE_BYTES  # sent to any client that sends the magic
TIMEOUT_SECONDS = 1.0
FORGED = struct.pack("=dd", 0.005, 40.0)  # a loss and an accuracy of 4000 %: bytes that RankGroup::Sum once accepted

# c10d::TCPStore, the former store: PyTorch's torch/csrc/distributed/c10d/TCPStoreBackend.hpp
TCPSTORE_VALIDATE = struct.pack("=BI", 0, 0x3C85F7CE)
SET, GET, COUNT_KEYS = 1, 3, 7


def text(data):
    return struct.pack("=Q", len(data)) + data


def receive(connection, max_bytes):
    """Returns the data until the end of the connection, `max_bytes` bytes or a pause."""
    got = b""
    try:
        while len(got) < max_bytes:
            piece = connection.recv(min(65536, max_bytes - len(got)))
            if not piece:
                break
            got += piece
    except OSError:
        pass
    return got


def send_all(connection, data):
    try:
        connection.sendall(data)
    except OSError:
        pass  # the other side has closed it, as it should


def set_request(key, value):
    """Returns a request of lib/launch/store_messages.h."""
    return struct.pack(">BQqHH", 1, 0, 0, 1, len(key)) + key + struct.pack(">I", len(value)) + value + struct.pack(">I", 0)


def sealed(key, counter, body):
    """Returns a frame of lib/launch/sealed_frames.h."""
    length = struct.pack(">I", len(body))
    return length + body + hmac.new(key, struct.pack(">Q", counter) + length + body, hashlib.sha256).digest()


def read_store(connection, captured, chance):
    """Asks for the number of keys, like a client of c10d::TCPStore."""
    send_all(connection, TCPSTORE_VALIDATE + struct.pack("=B", COUNT_KEYS))
    return len(receive(connection, 8)) == 8


def write_store(connection, captured, chance):
    """Writes forged sums of many rounds, like a client of c10d::TCPStore, and reads one of them back."""
    keys = [b"/gather/%d/%d" % (number, rank) for number in range(32) for rank in range(2)]
    sets = b"".join(struct.pack("=B", SET) + text(key) + text(FORGED) for key in keys)
    send_all(connection, TCPSTORE_VALIDATE + sets)
    send_all(connection, struct.pack("=B", GET) + text(keys[-1]))
    return receive(connection, 8 + len(FORGED)).endswith(FORGED)


def prove(connection, secret):
    """Runs the connecting side of the handshake with a secret that is not the run's. Returns both nonces."""
    mine = os.urandom(NONCE_BYTES)
    send_all(connection, MAGIC + mine)
    greeting = receive(connection, GREETING_BYTES)
    theirs = greeting[len(MAGIC):]
    send_all(connection, hmac.new(secret, b"connect" + mine + theirs, hashlib.sha256).digest())
    return mine + theirs


def impersonate(rank):
    def attempt(connection, captured, chance):
        """Connects like a rank, with a secret that could be guessed, and with a forged sum after the proof."""
        secret = chance.choice([b"", b"\0" * 32, b"lockstep", hashlib.sha256(b"lockstep").digest(), os.urandom(32)])
        nonces = prove(connection, secret)
        key = hmac.new(secret, b"key of connect" + nonces, hashlib.sha256).digest()
        send_all(connection, sealed(key, 0, set_request(b"gather/%d/%d" % (chance.randrange(40), rank), FORGED)))
        return len(receive(connection, 1)) > 0
    return attempt


def reflect(connection, captured, chance):
    """Sends the listener's own bytes back to it."""
    send_all(connection, MAGIC + os.urandom(NONCE_BYTES))
    greeting = receive(connection, GREETING_BYTES)
    send_all(connection, greeting[len(MAGIC):])
    return len(receive(connection, 1)) > 0


def replay(connection, captured, chance):
    """Sends everything that a process of the run sent. Accepted if more than the greeting is returned."""
    send_all(connection, captured or MAGIC + os.urandom(NONCE_BYTES + DIGEST_BYTES))
    return len(receive(connection, GREETING_BYTES + 1)) > GREETING_BYTES


def random_bytes(connection, captured, chance):
    data = chance.randbytes(chance.choice([1, 40, 72, 4096, 300_000]))
    send_all(connection, MAGIC + data if chance.random() < 0.5 else data)
    return len(receive(connection, GREETING_BYTES + 1)) > GREETING_BYTES


def flood(connection, captured, chance):
    """Opens many connections at once, with a few bytes each, and keeps all for a moment."""
    peer = connection.getpeername()[:2]
    others = []
    try:
        for _ in range(64):
            other = socket.socket()
            others.append(other)
            other.setblocking(False)
            other.connect_ex(peer)
        for other in others:
            try:
                other.send(MAGIC + b"n" * chance.randrange(NONCE_BYTES))
            except OSError:
                pass
        return any(len(receive(other, GREETING_BYTES + 1)) > GREETING_BYTES for other in others)
    finally:
        for other in others:
            other.close()


held = []  # connections of `stall`


def stall(connection, captured, chance):
    """Begins a handshake, sends nothing more, and stays connected."""
    send_all(connection, (MAGIC + b"n" * NONCE_BYTES + b"p")[:chance.randrange(GREETING_BYTES + 2)])
    held.append(connection.dup())
    if len(held) > 100:
        held.pop(0).close()
    return False


KINDS = {"read": read_store, "write": write_store, "impersonate_rank_0": impersonate(0), "impersonate_rank_1": impersonate(1),
         "reflect": reflect, "replay": replay, "random_bytes": random_bytes, "flood": flood, "stall": stall}


class Listener:
    """Captures data that others send over a device to TCP ports over IPv4: the bytes of the last connections, in their
    order."""

    MAX_BYTES = 1 << 20  # largest number of bytes kept per connection
    MAX_CONNECTIONS = 50

    def __init__(self, device):
        self.ports = set()
        self.own = set()  # ports of this stranger's own connections
        self.captured = {}  # bytes by (address, port) of both ends
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))  # protocol ETH_P_ALL
        self.socket.bind((device, 0))
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            packet, (_, _, kind, *_) = self.socket.recvfrom(65536)
            if kind == socket.PACKET_HOST or len(packet) < 54 or packet[12:14] != b"\x08\0" or packet[23] != 6:
                continue  # lo shows each packet twice
            at = 14 + 4 * (packet[14] & 15)
            source, to = struct.unpack_from(">HH", packet, at)
            data = packet[at + 4 * (packet[at + 12] >> 4):14 + struct.unpack_from(">H", packet, 16)[0]]
            key = (packet[26:30], source, packet[30:34], to)
            if data and to in self.ports and source not in self.own:
                self.captured[key] = (self.captured.pop(key, b"") + data)[:self.MAX_BYTES]
                while len(self.captured) > self.MAX_CONNECTIONS:
                    del self.captured[next(iter(self.captured))]

    def last_to(self, port):
        """Returns the last connection to a port that sent more than a handshake; empty if there was none."""
        captured = [data for (*_, to), data in list(self.captured.items())
                    if to == port and len(data) > GREETING_BYTES + DIGEST_BYTES]
        return captured[-1] if captured else b""


class Stranger:
    """Number of attempts, and of accepted ones, by kind. `unreachable`: no process listens there for this host."""

    def __init__(self, seed=0, timeout=TIMEOUT_SECONDS, listener=None):
        self.chance = random.Random(seed)
        self.listener = listener
        self.replayed = 0  # attempts of "replay" with captured bytes
        self.timeout = timeout
        self.attempts = dict.fromkeys(KINDS, 0)
        self.accepted = dict.fromkeys(KINDS, 0)
        self.unreachable = 0

    def attempt(self, kind, address, port):
        captured = self.listener.last_to(port) if self.listener else b""
        try:
            connection = socket.create_connection((address, port), timeout=self.timeout)
        except OSError:
            self.unreachable += 1
            return
        with connection:
            if self.listener:
                self.listener.own.add(connection.getsockname()[1])
            connection.settimeout(self.timeout)
            self.replayed += kind == "replay" and captured != b""
            self.attempts[kind] += 1
            self.accepted[kind] += KINDS[kind](connection, captured, self.chance)

    def counts(self):
        return {"attempts": self.attempts, "accepted": self.accepted, "unreachable": self.unreachable,
                "replayed": self.replayed}


def ports_in(path):
    """Returns address and port of each line of the file."""
    try:
        lines = pathlib.Path(path).read_text().splitlines()
    except OSError:
        return []
    fields = [line.split() for line in lines]
    return [(f[0], int(f[1])) for f in fields if len(f) == 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ports", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--listen_on")
    parser.add_argument("--seed", type=int, default=0)
    flags = parser.parse_args()
    listener = Listener(flags.listen_on) if flags.listen_on else None
    stranger = Stranger(flags.seed, timeout=0.3, listener=listener)
    end = time.monotonic() + flags.seconds
    while time.monotonic() < end:
        ports = ports_in(flags.ports)
        if listener:
            listener.ports |= {port for _, port in ports}
        if not ports:
            time.sleep(0.02)
        for kind in flags.kinds.split(","):
            for address, port in ports:
                stranger.attempt(kind, address, port)
    print(json.dumps(stranger.counts()))


if __name__ == "__main__":
    main()
