"""Runs workflow steps as their forges do: GitHub actions and GitLab jobs, read from JSON."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import types
import typing


class Run(typing.NamedTuple):
    """The result of a step or a job."""

    status: int
    output: str


def evaluated(text: str, context: dict[str, dict[str, str]]) -> str:
    """Replaces the ${{ expressions }} in a text by their values."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(value(match[1], context)), text)


def value(expression: str, context: dict[str, dict[str, str]]) -> object:
    """Evaluates an expression: names, comparisons, && and ||, always() and success()."""
    words = expression.replace("&&", " and ").replace("||", " or ").replace("always()", "True")
    words = re.sub(r"!(?!=)", " not ", words)
    names = {name: Context(values) for name, values in context.items()}
    return eval(words, {"__builtins__": {}}, names)


class Context(types.SimpleNamespace):
    """A namespace in which unset names are empty strings."""

    def __init__(self, values: dict[str, str]) -> None:
        super().__init__(**values)

    def __getattr__(self, name: str) -> str:
        return ""


def environment(*parts: dict[str, str]) -> dict[str, str]:
    together = dict(os.environ)
    for part in parts:
        together.update({name: str(text) for name, text in part.items()})
    return together


class GitHub:
    """A runner with a workspace, for one job."""

    def __init__(self, workspace: pathlib.Path, temporary: pathlib.Path) -> None:
        self.workspace, self.temporary = workspace, temporary
        temporary.mkdir(parents=True, exist_ok=True)
        self.path, self.summary = temporary / "path", temporary / "summary"
        for file in (self.path, self.summary):
            file.write_text("")
        self.uploads: dict[str, list[str]] = {}
        self.contexts = {
            "runner": {"temp": str(temporary)},
            "github": {"server_url": "https://forge.example", "action_repository": ""},
        }

    def shell(self, script: str, variables: dict[str, str]) -> Run:
        """Runs a block as `shell: bash` does."""
        file = self.temporary / "step.sh"
        file.write_text(script)
        paths = [*reversed(self.path.read_text().split()), os.environ["PATH"]]
        result = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(file)],
            cwd=self.workspace,
            env=environment(
                variables,
                {
                    "PATH": ":".join(paths),
                    "GITHUB_ACTIONS": "true",
                    "GITHUB_PATH": str(self.path),
                    "GITHUB_STEP_SUMMARY": str(self.summary),
                },
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        return Run(result.returncode, result.stdout)

    def action(self, action: dict[str, typing.Any], given: dict[str, str]) -> Run:
        """Runs a composite action."""
        declared = action["inputs"]
        for name in given:
            assert name in declared, f"the action has no input '{name}'"
        for name, declaration in declared.items():
            assert name in given or not declaration.get("required"), f"the input '{name}' is required"
        inputs = {name: str(given.get(name, declared[name].get("default", ""))) for name in declared}
        return self.steps(action["runs"]["steps"], {**self.contexts, "inputs": inputs}, {})

    def steps(
        self,
        steps: list[dict[str, typing.Any]],
        context: dict[str, dict[str, str]],
        actions: dict[str, dict[str, typing.Any]],
    ) -> Run:
        """Runs steps in order; after a failure, only those with always()."""
        status, output = 0, ""
        for step in steps:
            condition = step.get("if", "")
            if status and "always()" not in condition or condition and not value(condition, context):
                continue
            given = {name: evaluated(str(text), context) for name, text in step.get("with", {}).items()}
            if "run" in step:
                variables = {name: evaluated(str(text), context) for name, text in step.get("env", {}).items()}
                result = self.shell(evaluated(step["run"], context), variables)
            elif step["uses"] in actions:
                result = self.action(actions[step["uses"]], given)
            else:
                result = self.third_party(step["uses"].split("@")[0], given)
            output += result.output
            status = status or result.status
        return Run(status, output)

    def third_party(self, name: str, given: dict[str, str]) -> Run:
        """Simulates the third-party actions that the workflows use."""
        if name == "actions/upload-artifact":
            folder = self.workspace / given["path"]
            self.uploads[given["name"]] = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
        else:
            # The workspace and Python are already available.
            assert name in ("actions/checkout", "actions/setup-python"), name
        return Run(0, "")


def gitlab_job(documents: list[dict[str, typing.Any]], name: str) -> dict[str, typing.Any]:
    """Returns a job merged with the jobs that it extends."""
    together: dict[str, typing.Any] = {}
    for document in documents:
        together.update(document)
    job = dict(together[name])
    if "extends" in job:
        base = gitlab_job(documents, job["extends"])
        variables = {**base.get("variables", {}), **job.get("variables", {})}
        job = {**base, **job, "variables": variables}
    return job


def run_gitlab(job: dict[str, typing.Any], workspace: pathlib.Path, project: dict[str, str]) -> Run:
    """Runs the script of a job in a POSIX shell, as in an image without bash."""
    script = "\n".join([*job.get("before_script", []), *job["script"]])
    result = subprocess.run(
        ["sh", "-ec", script],
        cwd=workspace,
        env=environment(project, {"GITLAB_CI": "true"}, job.get("variables", {})),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return Run(result.returncode, result.stdout)
