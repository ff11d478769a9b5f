"""The lists that are shipped, and a fetch that survives damage, interruption and company. No network."""

from __future__ import annotations

import hashlib
import re
import threading
from pathlib import Path

import pytest

from lfx_neo4j_graphrag.errors import ConnectionFailed, InputError
from lfx_neo4j_graphrag.local import jars
from lfx_neo4j_graphrag.local.server import MAIN_CLASSES


def jar(name: str, content: bytes) -> jars.Jar:
    return jars.Jar("org.example", name, "1.0", "", len(content), hashlib.sha256(content).hexdigest())


class Registry:
    """Stands for jgo: gives files from memory, counts the requests, may fail or give damaged ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, content: dict[str, bytes]) -> None:
        self.content, self.requests, self.fails = content, [], set()
        monkeypatch.setattr(jars, "jar_list", lambda version: [jar(name, data) for name, data in content.items()])
        monkeypatch.setattr("jgo.maven.MavenContext", self.context)

    def context(self, repo_cache: Path, timeout: int) -> Registry:
        assert timeout > 0
        found = Registry.__new__(Registry)
        found.__dict__ = self.__dict__ | {"folder": repo_cache}
        return found

    def project(self, group: str, artifact: str) -> Registry:
        self.artifact_id = artifact
        return self

    def at_version(self, version: str) -> Registry:
        return self

    def artifact(self, classifier: str, packaging: str) -> Registry:
        assert packaging == "jar"
        return self

    def resolve(self) -> Path:
        self.requests.append(self.artifact_id)
        if self.artifact_id in self.fails:
            raise RuntimeError("Artifact not found in remote repositories {'central': 'https://a.host/'}")
        path = self.folder / "fetched.jar"
        path.write_bytes(self.content[self.artifact_id])
        return path


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    return Registry(monkeypatch, {f"part{i}": f"content {i}".encode() * (i + 1) for i in range(20)})


@pytest.mark.parametrize("version", MAIN_CLASSES)
def test_the_shipped_lists_are_whole_and_name_no_host(version: str) -> None:
    found = jars.jar_list(version)
    assert len(found) > 200 and len({one.filename for one in found}) == len(found)
    assert any(one.artifact == "neo4j-server" and one.version == version for one in found)
    assert all(re.fullmatch(r"[0-9a-f]{64}", one.sha256) and one.size > 0 for one in found)
    assert 100e6 < sum(one.size for one in found) < 200e6
    assert not any("test" in one.artifact or one.classifier == "tests" for one in found)
    assert "://" not in Path(jars.__file__).with_name(f"jars-{version}.tsv").read_text()


def test_an_unknown_version_names_those_that_exist() -> None:
    with pytest.raises(InputError, match=r"2026\.08\.1, 5\.26\.30"):
        jars.jar_list("4.4.0")


def test_everything_is_fetched_once_and_counted(registry: Registry, tmp_path: Path) -> None:
    steps: list[tuple[int, int, str]] = []
    assert jars.ensure_jars("9", folder=tmp_path / "lib", progress=lambda *step: steps.append(step)) == tmp_path / "lib"
    assert steps == [(i, 20, "Neo4j 9") for i in range(1, 21)]
    assert {p.name for p in (tmp_path / "lib").iterdir()} == {f"part{i}-1.0.jar" for i in range(20)}
    jars.ensure_jars("9", folder=tmp_path / "lib", progress=lambda *step: steps.append(step))
    assert len(steps) == 20 and sorted(registry.requests) == sorted(registry.content)


def test_only_what_is_missing_or_damaged_is_fetched_again(registry: Registry, tmp_path: Path) -> None:
    jars.ensure_jars("9", folder=tmp_path)
    registry.requests.clear()
    (tmp_path / "part3-1.0.jar").unlink()
    (tmp_path / "part4-1.0.jar").write_bytes(b"x" * len(registry.content["part4"]))
    jars.ensure_jars("9", folder=tmp_path)
    assert sorted(registry.requests) == ["part3", "part4"]
    assert (tmp_path / "part4-1.0.jar").read_bytes() == registry.content["part4"]


def test_offline_is_a_sentence_without_address_and_the_next_try_goes_on(registry: Registry, tmp_path: Path) -> None:
    registry.fails.add("part7")
    with pytest.raises(ConnectionFailed, match="part7-1.0.jar.*could not be downloaded") as caught:
        jars.ensure_jars("9", folder=tmp_path)
    assert caught.value.kind == "download" and "a.host" not in str(caught.value)
    kept = len(list(tmp_path.glob("*.jar")))
    registry.fails.clear()
    registry.requests.clear()
    jars.ensure_jars("9", folder=tmp_path)
    assert len(registry.requests) == 20 - kept and not list(tmp_path.glob(".fetching-*"))


def test_a_file_that_arrives_damaged_is_never_put_in_place(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = jars.jar_list("9")
    registry.content["part5"] = b"something else"
    monkeypatch.setattr(jars, "jar_list", lambda version: wanted)
    with pytest.raises(ConnectionFailed, match="part5-1.0.jar.*checksum"):
        jars.ensure_jars("9", folder=tmp_path)
    assert not (tmp_path / "part5-1.0.jar").exists()


def test_two_at_once_end_with_one_whole_set(registry: Registry, tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def work() -> None:
        try:
            jars.ensure_jars("9", folder=tmp_path)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert {p.name for p in tmp_path.iterdir()} == {f"part{i}-1.0.jar" for i in range(20)}


def test_the_cache_folder_can_be_moved(tmp_path: Path) -> None:
    assert jars.cache_folder({"NEO4J_GRAPHRAG_CACHE": str(tmp_path)}) == tmp_path
    assert jars.cache_folder({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "neo4j-graphrag"
