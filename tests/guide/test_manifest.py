"""The guide's manifest for Kubernetes: it runs ``queuecompat serve``, and its names and ports fit together."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple

import pytest

from queuecompat import cli, serving
from tests.guide.blocks import GUIDE, blocks_of

yaml = pytest.importorskip("yaml")


@pytest.fixture
def manifest() -> Dict[Tuple[str, str], Any]:
    """The objects of the manifest, by kind and name."""
    page = "machines.md"
    (block,) = (one for one in blocks_of(page, (GUIDE / page).read_text(encoding="utf-8")) if one.language == "yaml")
    objects = list(yaml.safe_load_all(block.code))
    found = {(one["kind"], one["metadata"]["name"]): one for one in objects}
    assert len(found) == len(objects)
    return found


def container(workload: Any) -> Any:
    template = workload["spec"]["template"]
    assert template["metadata"]["labels"] == workload["spec"]["selector"]["matchLabels"]
    (one,) = template["spec"]["containers"]
    return one


def served(words: List[str], monkeypatch: pytest.MonkeyPatch) -> Tuple[Any, ...]:
    """What the command of those *words* serves as, and with which arguments."""
    calls: List[Tuple[Any, ...]] = []
    for name in ("serve_dispatcher", "serve_worker"):
        monkeypatch.setattr(serving, name, lambda *given, name=name: calls.append((name, *given)))
    assert words[:3] == ["python", "-m", "queuecompat"]
    with pytest.raises(SystemExit) as ended:
        cli.main(words[3:])
    assert ended.value.code is None
    (call,) = calls
    return call


def port_of(service: Any, workload: Any) -> int:
    """The only port of *service*, which is for the pods of *workload*."""
    assert service["spec"]["selector"] == workload["spec"]["selector"]["matchLabels"]
    (port,) = (one["port"] for one in service["spec"]["ports"])
    assert isinstance(port, int)
    return port


def test_the_dispatcher_listens_where_its_service_leads(manifest: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    workload = manifest["Deployment", "dispatcher"]
    port = port_of(manifest["Service", "dispatcher"], workload)
    assert served(container(workload)["command"], monkeypatch) == ("serve_dispatcher", port, None)


def test_a_worker_is_reached_under_its_own_name_and_finds_the_dispatcher(
    manifest: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    workload, service = manifest["StatefulSet", "worker"], manifest["Service", "workers"]
    one, port = container(workload), port_of(service, workload)
    assert service["spec"]["clusterIP"] == "None"  # a name for each pod
    assert workload["spec"]["serviceName"] == "workers"
    (variable,) = one["env"]
    assert variable["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.name"
    words = [word.replace(f"$({variable['name']})", "worker-0") for word in one["command"]]
    dispatcher = manifest["Service", "dispatcher"]["spec"]["ports"][0]["port"]
    assert served(words, monkeypatch) == ("serve_worker", f"dispatcher:{dispatcher}", port, "worker-0.workers")
    assert {mount["name"] for mount in one["volumeMounts"]} == {
        volume["name"] for volume in workload["spec"]["template"]["spec"]["volumes"]
    }


def test_the_trainer_is_told_the_address_of_the_dispatcher(manifest: Any) -> None:
    text = (GUIDE / "machines.md").read_text(encoding="utf-8")
    (address,) = re.findall(r"The trainer runs `[^`]*--data-service grpc://(\S+) ", text)
    port = manifest["Service", "dispatcher"]["spec"]["ports"][0]["port"]
    assert address == f"dispatcher:{port}"
