"""deploy/chart as Helm renders it, and its containers run as their pods would run them, on a stack's services.

HELM names the program, which .ci/run builds, where it is not on the PATH.
"""

import os
import shutil
import subprocess
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import yaml

from tests.services.installation import INHERITED
from tests.services.servers import ROOT, Server, free_port, program
from tests.services.stack import Stack, image

CHART = ROOT / "deploy" / "chart"
VALUES = sorted((CHART / "ci").glob("*.yaml"))
KUBERNETES = "1.30"
POD_USER = 10001  # of podSecurityContext
# What an installation's values say of its own services: here they are the stack's.
PLACES = (
    "QDRANT_URL", "AWS_STORAGE_BUCKET_NAME", "AWS_S3_ENDPOINT_URL", "AWS_S3_REGION_NAME", "AWS_S3_ADDRESSING_STYLE",
    "OPENAI_BASE_URL", "CHAT_MODEL", "TIKTOKEN_CACHE_DIR",
)  # fmt: skip
CONFINED = 'mount --bind "$0" "$0" && mount -o remount,bind,ro / && exec "$@"'


def helm_program() -> str:
    return os.environ.get("HELM") or program("helm", str(Path.home() / "go/bin"))


def helm(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([helm_program(), *arguments], capture_output=True, text=True, check=False)


@cache
def rendered(values: Path) -> list[dict[str, Any]]:
    """Every object of a release named `acervo`, hooks among them."""
    done = helm("template", "acervo", CHART, "--kube-version", KUBERNETES, "--values", values)
    assert done.returncode == 0, done.stderr
    return [one for one in yaml.safe_load_all(done.stdout) if one]


def of_kind(objects: list[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    return [one for one in objects if one["kind"] in kinds]


def pods(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The pod template of each deployment and job, by its component."""
    templates = [one["spec"]["template"] for one in of_kind(objects, "Deployment", "Job")]
    return {one["metadata"]["labels"]["app.kubernetes.io/component"]: one["spec"] for one in templates}


def container_of(pod: dict[str, Any]) -> dict[str, Any]:
    (only,) = pod["containers"]
    found: dict[str, Any] = only
    return found


class Container(Server):
    """A pod's one container: its command with its environment, and only with that.

    As root it is confined as its security context says: the root file system is read-only, the user is the pod's (where
    that user can reach the interpreter), and no capability is left. What cannot be had here is a seccomp profile.
    """

    def __init__(self, stack: Stack, component: str, pod: dict[str, Any]) -> None:
        super().__init__(stack.services.folder, f"pod-{component}")
        self.stack, self.component, self.spec = stack, component, container_of(pod)
        self.grace: float = pod["terminationGracePeriodSeconds"] if component != "migrate" else 60.0
        self.metrics_port = free_port()
        for name in ("tmp", "data"):
            (self.folder / name).mkdir()
        self.confined = os.geteuid() == 0 and all(map(shutil.which, ("unshare", "setpriv", "mount")))
        # A user who cannot reach the interpreter would get another one: then root's own, without its capabilities.
        self.user = POD_USER
        self.user = POD_USER if self.confined and self.interpreter(confined=True) == self.interpreter() else 0
        if self.confined:
            for path in (self.folder, self.folder / "tmp", self.folder / "data"):
                os.chown(path, self.user, self.user)

    def interpreter(self, *, confined: bool = False) -> str:
        command = [self.stack.python, "-c", "import sys; print(sys.base_prefix, sys.version)"]
        command = self.walled(command) if confined else command
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def inside(self, text: str) -> str:
        """Of the pod's paths and services, where they are here."""
        for there, here in {**self.stack.services.places(), "/tmp": f"{self.folder}/tmp"}.items():
            text = text.replace(there, here)
        return text.replace("/data/", f"{self.folder}/data/")

    def environment(self) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        settings = {**inherited, **image(), "TMPDIR": f"{self.folder}/tmp"}
        for one in self.spec["env"]:
            value = one.get("value")
            if value is None:
                value = self.secret(one["valueFrom"]["secretKeyRef"]["key"])
            if value is not None:
                settings[one["name"]] = self.inside(value)
        elsewhere = {name: self.stack.environment[name] for name in PLACES if name in self.stack.environment}
        return settings | elsewhere | {"PORT": str(self.port), "METRICS_PORT": str(self.metrics_port)}

    def secret(self, key: str) -> str | None:
        """What the stack's .env made of it; None where the Secret has no such key."""
        owner = self.stack.settings_of("migrate")
        return {**self.stack.environment, "DATABASE_OWNER_URL": owner["DATABASE_OWNER_URL"]}.get(key)

    def command(self) -> list[str]:
        return self.walled([self.program(), *self.rest()])

    def program(self) -> str:
        return str(Path(self.stack.python).with_name(self.spec["command"][0]))

    def rest(self) -> list[str]:
        own = ["--hostname", f"{self.name}@%h"] if "worker" in self.spec["command"] else []
        return [*map(self.inside, self.spec["command"][1:]), *own]

    def walled(self, command: list[str]) -> list[str]:
        if not self.confined:
            return command
        user = ["--reuid", str(self.user), "--regid", str(self.user), "--clear-groups", "--no-new-privs"]
        setpriv = ["setpriv", *user, "--bounding-set=-all", "--inh-caps=-all", "--", *command]
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", CONFINED, str(self.folder), *setpriv]

    def is_ready(self) -> bool:
        """By its own probes: the one that starts it, or the first that it has."""
        probe = next((self.spec[name] for name in PROBES if name in self.spec), None)
        return probe is None or self.passes(probe)

    def passes(self, probe: dict[str, Any]) -> bool:
        if "exec" in probe:
            return self.carries_out(probe["exec"]["command"]) == 0
        asked = probe["httpGet"]
        ports = {"http": self.port, "metrics": self.metrics_port}
        headers = {one["name"]: one["value"] for one in asked.get("httpHeaders", [])}
        link = HTTPConnection("127.0.0.1", ports[asked["port"]], timeout=10)
        try:
            link.request("GET", asked["path"], headers=headers)
            return 200 <= link.getresponse().status < 400
        except OSError:
            return False
        finally:
            link.close()

    def carries_out(self, command: list[str]) -> int:
        """The exit code of a command in the container."""
        return self.ends([self.inside(part) for part in command])

    def ends(self, command: list[str]) -> int:
        return subprocess.run(self.walled(command), cwd=ROOT, env=self.environment(), check=False).returncode


PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
