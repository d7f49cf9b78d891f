"""The station implements `/openapi.json`: schemathesis sends every request that the contract
allows, and some that it does not."""

import json
import os
import subprocess
import sys


def test_the_contract_lists_every_route(plain):
    _, contract = plain.json("/openapi.json")
    assert contract["openapi"].startswith("3.1")
    for path in contract["paths"]:
        if path != "/v1/live":
            assert plain.request(path)[0] in (200, 400), path


def test_schemathesis_finds_no_violation_of_the_contract(plain, tmp_path):
    examples = os.environ.get("STATION_EXAMPLES", "30")
    # The stream of readings does not end; test_station.py reads it.
    result = subprocess.run(
        [os.path.join(os.path.dirname(sys.executable), "schemathesis"), "run", plain.url + "/openapi.json",
         "--exclude-path=/v1/live", f"--max-examples={examples}", "--seed=1", "--no-color",
         "--checks=not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"],
        capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
