"""Checks that each example in a JSON Schema is valid for its key, and prints the number of examples.

usage: validate_examples.py SCHEMA
"""

import json
import sys

import jsonschema


def walk(schema, path):
    """Yields all subschemas with their paths."""
    if isinstance(schema, dict):
        yield path, schema
        for key, value in schema.items():
            if key != "examples":
                yield from walk(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from walk(value, f"{path}/{index}")


def resolved(key):
    """Returns a subschema merged over the definition that it refers to."""
    while "$ref" in key:
        definition = document["$defs"][key["$ref"].removeprefix("#/$defs/")]
        key = {**definition, **{name: value for name, value in key.items() if name != "$ref"}}
    return key


checked = 0
without = []
with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
whole = jsonschema.Draft202012Validator(document)
for place, subschema in walk(document, ""):
    properties = subschema.get("properties")
    if not isinstance(properties, dict) or subschema.get("type") != "object":
        continue
    for name, key in properties.items():
        key = resolved(key)
        is_word = len(key.get("enum", [1, 2])) == 1
        if not key.get("examples") and not key.get("deprecated") and not is_word:
            without.append(f"{place}: {name}")
        for example in key.get("examples", []):
            checked += 1
            for error in whole.evolve(schema=key).iter_errors(example):
                print(f"{place}: {name}: {example!r}: {error.message}")
for place in without:
    print(f"{place}: no example")
print(f"{checked} examples")
