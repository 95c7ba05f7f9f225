"""Two hosts on one machine: network namespaces with their own host names, and a cable (veth) between them.

Needs root, or a kernel that lets every user make user namespaces.
"""

import os
import shutil
import subprocess

DEVICE = "cable0"
NAMES = ["host-a", "host-b"]
ADDRESSES = ["10.87.0.1", "10.87.0.2"]
SPACES = ["--net", "--uts", "--mount"]


class Cable:
    """Raises NoCable, with the reason, if no namespaces can be made."""

    def __init__(self, environment):
        self.environment = environment
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
        self.hold([])
        self.hold(self.enter(0))  # within the first one's user namespace
        self.on(0, "ip", "link", "add", DEVICE, "type", "veth", "peer", "name", DEVICE, "netns", str(self.holders[1].pid))
        for host in range(2):
            self.on(host, "ip", "link", "set", "lo", "up")
            self.on(host, "ip", "address", "add", f"{ADDRESSES[host]}/24", "dev", DEVICE)
            self.on(host, "ip", "link", "set", DEVICE, "up")
            self.on(host, "hostname", NAMES[host])
            self.on(host, "mount", "-t", "tmpfs", "tmpfs", "/mnt")
            hosts = "127.0.0.1 localhost\n" + "".join(f"{a} {n}\n" for a, n in zip(ADDRESSES, NAMES))
            self.on(host, "sh", "-c", 'printf %s "$0" >/mnt/hosts && mount --bind /mnt/hosts /etc/hosts', hosts)

    def hold(self, enter):
        own_user = [*self.user, "--map-root-user"] if self.user and not enter else []
        holder = subprocess.Popen([*enter, "unshare", *own_user, *SPACES, "sh", "-c", "echo; read line"], text=True, env=self.environment,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
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

    def set_link(self, state):
        """Sets the link "up" or "down"."""
        self.on(0, "ip", "link", "set", DEVICE, state)

    def close(self):
        for holder in self.holders:
            holder.kill()
            holder.wait()
            for pipe in (holder.stdin, holder.stdout, holder.stderr):
                pipe.close()
        self.holders = []


class NoCable(Exception):
    pass
