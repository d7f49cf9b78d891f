"""Validates rig files against the JSON Schema that aneroid prints, with the package jsonschema.

usage: validate_rigs.py SCHEMA RIG...
Prints a line for each rig: its path and 'valid', or the first error. Reads YAML 1.2 as editors do.
"""

import json
import re
import sys

import jsonschema
import yaml


class Loader(yaml.SafeLoader):
    """YAML 1.2: no timestamps, and only true and false are booleans."""


Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:bool")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf")
)



def named(value):
    """Converts keys to strings, as in JSON and in editors: a key may be called false."""
    if isinstance(value, dict):
        return {str(key).lower() if isinstance(key, bool) else key: named(each) for key, each in value.items()}
    return [named(each) for each in value] if isinstance(value, list) else value


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)

for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        document = named(yaml.load(file, Loader))
    errors = [error.message for error in validator.iter_errors(document)]
    print(path, errors[0] if errors else "valid")
