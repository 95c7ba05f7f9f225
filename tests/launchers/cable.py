"""Hosts on one machine: network namespaces with their own host names, joined by a cable (veth) or by a switch (bridge).

Needs root, or a kernel that lets every user make user namespaces.
"""

import os
import shutil
import subprocess

DEVICE = "cable0"
NAMES = ["host-a", "host-b", "host-c"]
ADDRESSES = ["10.87.0.1", "10.87.0.2", "10.87.0.3"]
SPACES = ["--net", "--uts", "--mount"]


class Hosts:
    """The first `count` hosts of NAMES. Raises NoCable, with the reason, if no namespaces can be made."""

    def __init__(self, environment, count):
        self.environment, self.count = environment, count
        self.holders = []  # a process in each host's namespaces that is not part of the run
        reasons = []
        for self.user in ([], ["--user"]):
            try:
                return self.lay()
            except (OSError, subprocess.CalledProcessError, NoCable) as error:
                self.close()
                reasons.append((getattr(error, "stderr", "") or str(error)).strip())
        raise NoCable("no network namespaces here: " + "; ".join(reasons))

    def lay(self):
        missing = [name for name in ("ip", "nsenter", "unshare") if shutil.which(name) is None]
        if missing:
            raise NoCable(f"{missing[0]} is not installed")
        for _ in range(self.count):
            self.hold()
        self.join()
        for host in range(self.count):
            self.on(host, "ip", "link", "set", "lo", "up")
            self.on(host, "ip", "address", "add", f"{ADDRESSES[host]}/24", "dev", DEVICE)
            self.on(host, "ip", "link", "set", DEVICE, "up")
            self.on(host, "hostname", NAMES[host])
            self.on(host, "mount", "-t", "tmpfs", "tmpfs", "/mnt")
            hosts = "127.0.0.1 localhost\n" + "".join(f"{a} {n}\n" for a, n in zip(ADDRESSES, NAMES))
            self.on(host, "sh", "-c", 'printf %s "$0" >/mnt/hosts && mount --bind /mnt/hosts /etc/hosts', hosts)

    def join(self):
        """Gives each host the network device DEVICE, which leads to the others."""
        raise NotImplementedError

    def hold(self):
        """Makes the namespaces of one more host, within the user namespace of the first one."""
        enter = self.enter(0) if self.holders else []
        own_user = [*self.user, "--map-root-user"] if self.user and not enter else []
        holder = subprocess.Popen([*enter, "unshare", *own_user, *SPACES, "sh", "-c", "echo; read line"], text=True,
                                  env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        self.holders.append(holder)
        if holder.stdout.readline() != "\n":
            raise NoCable(holder.stderr.read())

    def enter(self, host):
        user = [*self.user, "--preserve-credentials"] if self.user else []
        return ["nsenter", "-t", str(self.holders[host].pid), *user, *SPACES]

    def command(self, host, command):
        """Returns the command that runs `command` on that host."""
        return [*self.enter(host), f"--wd={os.getcwd()}", *command]

    def on(self, host, *command):
        subprocess.run([*self.enter(host), *command], check=True, capture_output=True, text=True, timeout=30)

    def add_pair(self, host, name, other):
        """Connects two hosts: `name` on the first one is the other end of DEVICE on the second one."""
        self.on(host, "ip", "link", "add", name, "type", "veth", "peer", "name", DEVICE, "netns",
                str(self.holders[other].pid))

    def close(self):
        for holder in self.holders:
            holder.kill()
            holder.wait()
            for pipe in (holder.stdin, holder.stdout, holder.stderr):
                pipe.close()
        self.holders = []


class Cable(Hosts):
    """Two hosts with a cable between them."""

    def __init__(self, environment):
        super().__init__(environment, 2)

    def join(self):
        self.add_pair(0, DEVICE, 1)

    def set_link(self, state):
        """Sets the link "up" or "down"."""
        self.on(0, "ip", "link", "set", DEVICE, state)


class Switch(Hosts):
    """Hosts that are plugged into a switch, which is one more host, without an address."""

    def join(self):
        self.hold()
        self.on(self.count, "ip", "link", "add", "switch", "type", "bridge")
        self.on(self.count, "ip", "link", "set", "switch", "up")
        for host in range(self.count):
            self.add_pair(self.count, f"port{host}", host)
            self.on(self.count, "ip", "link", "set", f"port{host}", "master", "switch", "up")

    def unplug(self, host):
        """Drops all packets from and to the host. All links stay up and no connection is reset, so no host notices."""
        self.on(self.count, "ip", "link", "set", f"port{host}", "nomaster")

    def plug(self, host):
        self.on(self.count, "ip", "link", "set", f"port{host}", "master", "switch")

    def separate(self, hosts):
        """Drops all packets between these hosts; the others reach each of them."""
        self._isolate(hosts, "on")

    def reunite(self, hosts):
        self._isolate(hosts, "off")

    def _isolate(self, hosts, state):
        for host in hosts:  # a bridge forwards nothing from one isolated port to another
            self.on(self.count, "ip", "link", "set", f"port{host}", "type", "bridge_slave", "isolated", state)


class NoCable(Exception):
    pass
