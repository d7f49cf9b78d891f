"""Checks that each example in a JSON Schema fits the key that it stands under, and says how many there are.

usage: validate_examples.py SCHEMA
"""

import json
import sys

import jsonschema


def walk(schema, path):
    """All subschemas with their places."""
    if isinstance(schema, dict):
        yield path, schema
        for key, value in schema.items():
            if key != "examples":
                yield from walk(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from walk(value, f"{path}/{index}")


checked = 0
without = []
with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)
for place, subschema in walk(document, ""):
    properties = subschema.get("properties")
    if isinstance(properties, dict) and subschema.get("type") == "object":
        for name, key in properties.items():
            is_word = len(key.get("enum", [1, 2])) == 1
            if not key.get("examples") and not key.get("deprecated") and not is_word:
                without.append(f"{place}: {name}")
    for example in subschema.get("examples", []) if "description" in subschema else []:
        checked += 1
        for error in jsonschema.Draft202012Validator(subschema).iter_errors(example):
            print(f"{place}: {example!r}: {error.message}")
for place in without:
    print(f"{place}: no example")
print(f"{checked} examples")
