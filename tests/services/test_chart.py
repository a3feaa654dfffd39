"""deploy/chart is well-formed, strict about its values, and asks of Kubernetes what its types know."""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.services.chart import CHART, VALUES, container_of, helm, helm_program, of_kind, pods, rendered
from tests.services.documented import block_after, carried_out
from tests.services.servers import ROOT, NotInstalled
from tests.test_docs import tables

SMALL = CHART / "ci" / "small.yaml"
VERSIONS = ("1.27", "1.30", "1.37")  # the oldest that the chart takes, a usual one, the newest that is known here
CUSTOM = ("ScaledObject", "TriggerAuthentication", "HTTPRoute")
SETTINGS = set(tables("settings.md"))


@pytest.fixture(scope="module", autouse=True)
def helm_wanted(wanted: None) -> None:
    try:
        helm("version")
    except NotInstalled as missing:
        pytest.skip(f"no Helm: {missing}")


@pytest.fixture(params=VALUES, ids=lambda path: path.stem)
def values(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


@pytest.fixture
def objects(values: Path) -> list[dict[str, Any]]:
    return rendered(values)


def test_helm_has_nothing_to_say_against_it(values: Path) -> None:
    done = helm("lint", "--strict", "--kube-version", "1.30", CHART, "--values", values)
    assert done.returncode == 0, done.stdout


def test_the_guide_s_values_are_enough_for_the_guide_s_command(tmp_path: Path) -> None:
    """`helm upgrade --install` as it stands there, but nothing is asked of a cluster."""
    (tmp_path / "values.yaml").write_text(block_after("The least that `values.yaml` must say:"))
    exchanged = {
        "helm upgrade --install": f"{helm_program()} template --kube-version 1.30",
        r"(?<= )values\.yaml": str(tmp_path / "values.yaml"),
    }
    said = carried_out("Then, and for each upgrade again:", exchanged, dict(os.environ))
    assert {one["kind"] for one in yaml.safe_load_all(said) if one} >= {"Deployment", "Job", "Ingress", "NetworkPolicy"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("image.repository=", "repository"),
        ("secret=", "secret"),
        ("host=", "host"),
        ("wen.replicas=3", "wen"),
        ("web.replicas=many", "replicas"),
        ("settings.SECRET_KEY=abc", "SECRET_KEY"),
        ("settings.DATABASE_URL=postgres://x", "DATABASE_URL"),
        ("settings.QDRANT_URL=null", "QDRANT_URL"),
        ("settings.PGVECTOR_URL=postgresql://x", "PGVECTOR_URL"),
        ("settings.OTEL_EXPORTER_OTLP_HEADERS=Authorization=x", "OTEL_EXPORTER_OTLP_HEADERS"),
        ("index=pgvector", "QDRANT_URL"),
        ("index=edge", "index"),
        ("workers.ingestion.autoscaling.mode=often", "mode"),
        ("workers.night.replicas=1", "night"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(given: str, said: str) -> None:
    done = helm("template", "acervo", CHART, "--kube-version", "1.30", "--values", SMALL, "--set", given)
    assert done.returncode != 0, given
    assert said in done.stderr


def test_an_older_kubernetes_is_refused() -> None:
    assert "1.26" in helm("template", "acervo", CHART, "--kube-version", "1.26", "--values", SMALL).stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_knows_every_field(objects: list[dict[str, Any]], version: str) -> None:
    """Strictly: a field that its schema does not have is an error, which a server would only drop."""
    import kubernetes_validate  # here, for it takes 1.6 s of each process that collects tests

    for one in objects:
        if one["kind"] not in CUSTOM:
            kubernetes_validate.validate(one, version, strict=True)


def test_a_field_that_kubernetes_does_not_know_would_be_found(objects: list[dict[str, Any]]) -> None:
    import kubernetes_validate

    broken = copy.deepcopy(of_kind(objects, "Deployment")[0])
    broken["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, "1.30", strict=True)


KEPT = """
import json, sys
from cloudcoil.models.keda import v1alpha1
given = json.load(sys.stdin)
models = [getattr(v1alpha1, one["kind"]).model_validate(one) for one in given]
print(json.dumps([one.model_dump(by_alias=True, exclude_unset=True, mode="json") for one in models]))
"""


def test_keda_knows_every_field() -> None:
    """Its types (the package cloudcoil.models.keda) drop what they do not know: what they keep is compared."""
    if not (types := os.environ.get("KEDA_TYPES")):
        pytest.skip("KEDA_TYPES names no folder with KEDA's types (.ci/run makes one)")
    found = [one for path in VALUES for one in of_kind(rendered(path), "ScaledObject", "TriggerAuthentication")]
    wrong = {**found[0], "spec": {**found[0]["spec"], "polingInterval": 3}}
    command = [sys.executable, "-c", KEPT]
    done = subprocess.run(
        command, input=json.dumps([*found, wrong]), env={**os.environ, "PYTHONPATH": types},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [*found, found[0]]


def test_the_route_has_only_fields_of_the_gateway_api() -> None:
    """No registry has its types for Python: these are the fields of gateway.networking.k8s.io/v1 that are used."""
    (route,) = of_kind(rendered(CHART / "ci" / "keda-prometheus.yaml"), "HTTPRoute")
    assert route["apiVersion"] == "gateway.networking.k8s.io/v1"
    assert set(route["spec"]) == {"parentRefs", "hostnames", "rules"}
    inside, everything = route["spec"]["rules"]
    assert set(inside) == {"matches", "filters"}
    assert set(everything) == {"matches", "timeouts", "backendRefs"}
    assert everything["timeouts"] == {"request": "3600s"}
    assert everything["backendRefs"] == [{"name": "acervo-web", "port": 80}]


def test_every_variable_is_a_setting_and_no_secret_has_a_value(objects: list[dict[str, Any]]) -> None:
    schema = yaml.safe_load((CHART / "values.schema.json").read_text())
    secret = set(schema["properties"]["settings"]["propertyNames"]["not"]["enum"])
    for component, pod in pods(objects).items():
        for one in container_of(pod)["env"]:
            assert one["name"] in SETTINGS, f"{component}: docs/settings.md does not know {one['name']}"
            assert ("value" in one) != ("valueFrom" in one)
            if one["name"] in secret and one["name"] not in ("DATA_DIR", "HTTPS", "PORT", "METRICS_PORT"):
                assert "value" not in one, one["name"]
    assert not of_kind(objects, "Secret")


@pytest.mark.parametrize(
    ("name", "is_given", "is_not"),
    [("small", "QDRANT_URL", "PGVECTOR_URL"), ("pgvector", "PGVECTOR_URL", "QDRANT_URL")],
)
def test_every_pod_knows_exactly_one_server_of_the_index(name: str, is_given: str, is_not: str) -> None:
    """Where it is pgvector no pod starts without its address: `optional` would let the index be a file of the pod's."""
    for component, pod in pods(rendered(CHART / "ci" / f"{name}.yaml")).items():
        known = {one["name"]: one for one in container_of(pod)["env"]}
        assert is_given in known, component
        assert is_not not in known, component
        referred = known[is_given].get("valueFrom", {}).get("secretKeyRef", {})
        assert referred == ({"name": "acervo", "key": "PGVECTOR_URL"} if name == "pgvector" else {}), component


def test_what_a_collector_wants_to_know_is_a_secret(objects: list[dict[str, Any]]) -> None:
    for component, pod in pods(objects).items():
        (found,) = (one for one in container_of(pod)["env"] if one["name"] == "OTEL_EXPORTER_OTLP_HEADERS")
        assert found["valueFrom"]["secretKeyRef"]["optional"], component


def test_only_migrations_know_the_owner_of_the_tables() -> None:
    known = [name for name, pod in pods(rendered(CHART / "ci" / "keda-redis.yaml")).items() if "OWNER" in str(pod)]
    assert known == ["migrate"]


def test_each_role_has_the_command_that_compose_gives_it(objects: list[dict[str, Any]]) -> None:
    services = yaml.safe_load((ROOT / "compose.yml").read_text())["services"]
    lanes = {"worker": "worker-ingestion"}
    for service in ("web", "worker", "worker-short", "worker-upkeep", "beat", "migrate"):
        here = container_of(pods(objects)[lanes.get(service, service)])["command"]
        assert here == services[service]["command"], service


def test_pods_ask_for_no_more_than_the_strictest_standard_allows(objects: list[dict[str, Any]]) -> None:
    """Kubernetes' pod security standard "restricted", and a root file system that nobody writes to."""
    for component, pod in pods(objects).items():
        whole, own = pod["securityContext"], container_of(pod)["securityContext"]
        assert whole["runAsNonRoot"], component
        assert whole["seccompProfile"]["type"] == "RuntimeDefault", component
        assert (own["allowPrivilegeEscalation"], own["readOnlyRootFilesystem"]) == (False, True), component
        assert own["capabilities"] == {"drop": ["ALL"]}, component
        assert pod["automountServiceAccountToken"] is False, component
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod), component
        assert "hostPath" not in str(pod["volumes"]), component
        assert "memory" in container_of(pod)["resources"]["limits"], component


def test_what_points_at_something_points_at_what_is_there(objects: list[dict[str, Any]]) -> None:
    deployments = {one["metadata"]["name"]: one for one in of_kind(objects, "Deployment")}
    for one in of_kind(objects, "HorizontalPodAutoscaler", "ScaledObject"):
        target = deployments[one["spec"]["scaleTargetRef"]["name"]]
        assert "replicas" not in target["spec"], "two would quarrel about the number"
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in deployments.values()]
    for one in of_kind(objects, "PodDisruptionBudget", "Deployment"):
        wanted = one["spec"]["selector"]["matchLabels"].items()
        assert len([has for has in labels if wanted <= has.items()]) == 1, one["metadata"]["name"]
    services = {one["metadata"]["name"] for one in of_kind(objects, "Service")}
    backends = re.findall(r"'backend': {'service': {'name': '([^']+)'", str(of_kind(objects, "Ingress")))
    backends += re.findall(r"'backendRefs': \[{'name': '([^']+)'", str(of_kind(objects, "HTTPRoute")))
    assert set(backends) <= services


def test_everything_is_denied_but_what_is_named() -> None:
    policies = of_kind(rendered(CHART / "ci" / "keda-redis.yaml"), "NetworkPolicy")
    deny = next(one["spec"] for one in policies if one["metadata"]["name"].endswith("-deny"))
    assert deny["policyTypes"] == ["Ingress", "Egress"]
    assert not {"ingress", "egress"} & set(deny)
    for one in policies:
        for rule in [*one["spec"].get("ingress", []), *one["spec"].get("egress", [])]:
            assert rule.get("from") or rule.get("to"), "a rule without a peer means everybody"
            assert rule["ports"], "a rule without a port means all"


def test_the_ingress_has_the_limits_of_the_proxy() -> None:
    proxy = (ROOT / "deploy" / "proxy.conf").read_text()
    made = {one["metadata"]["name"]: one for one in of_kind(rendered(SMALL), "Ingress")}
    web, streams = (notes(made[f"acervo-web-{name}"]) for name in ("web", "streams"))
    for name, directive in (
        ("proxy-body-size", "client_max_body_size 11m;"),
        ("proxy-connect-timeout", "proxy_connect_timeout 2s;"),
        ("proxy-read-timeout", "proxy_read_timeout 60s;"),
        ("proxy-send-timeout", "proxy_send_timeout 60s;"),
        ("proxy-next-upstream", "proxy_next_upstream error timeout;"),
        ("proxy-next-upstream-tries", "proxy_next_upstream_tries 3;"),
        ("proxy-next-upstream-timeout", "proxy_next_upstream_timeout 10s;"),
    ):
        assert f"{directive.split()[0]} " in proxy, directive
        assert directive in proxy, directive
        assert web[name] == directive.split(maxsplit=1)[1].rstrip(";").removesuffix("s"), name
    assert streams["proxy-read-timeout"] == str(3600 * int(found(r"proxy_read_timeout (\d)h;", proxy)))
    assert streams["limit-connections"] == found(r"limit_conn streaming (\d+);", proxy)
    assert streams["proxy-buffering"] == "off"
    assert streams["proxy-body-size"] == web["proxy-body-size"]
    ways = [one["path"] for one in made["acervo-web-streams"]["spec"]["rules"][0]["http"]["paths"]]
    told = found(r"location ~ \^/\((api/agents\S+)\)\$ {", proxy)
    assert "|".join(way.strip("/$") for way in ways).replace("chat|", "chat/|") == told
    assert notes(made["acervo-web-inside"])["denylist-source-range"] == "0.0.0.0/0,::/0"


def notes(ingress: dict[str, Any]) -> dict[str, str]:
    return {name.rpartition("/")[2]: value for name, value in ingress["metadata"]["annotations"].items()}


def found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match, pattern
    return match[1]
