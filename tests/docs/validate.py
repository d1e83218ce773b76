"""Validates documents against the JSON Schema that toroid makes.

  validate.py SCHEMA DOCUMENTS    a line for each document: the name of its kind of object, and the document
"""

import json
import sys

import jsonschema

with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
kinds = {}
with open(sys.argv[2]) as lines:
    for line in lines:
        kind, document = line.rstrip("\n").split("\t", 1)
        kinds.setdefault(kind, []).append(json.loads(document))


def faults(kind, document):
    """What is wrong with a document of that kind, a line each."""
    validator = jsonschema.Draft202012Validator({"$ref": "#/$defs/" + kind, "$defs": schema["$defs"]})
    return [f"{kind}: {error.json_path}: {error.message[:300]}" for error in validator.iter_errors(document)]


whole = jsonschema.Draft202012Validator(schema)
files = {each["$ref"].removeprefix("#/$defs/") for each in schema["anyOf"]}  # kinds that are documents of their own
for kind in files - kinds.keys():
    print(f"{kind}: no document")
if whole.is_valid({"no such field": 1}):
    print("any object is taken for a document")
for kind, documents in kinds.items():
    for document in documents:
        for fault in faults(kind, document):
            print(fault)
        if kind in files and not whole.is_valid(document):
            print(f"{kind}: not taken as a document")
    # What no document may have is found, too.
    for wrong in ({"no such field": 1}, {"schema_version": "two"}):
        if not faults(kind, {**documents[0], **wrong}):
            print(f"{kind}: {wrong} is taken")
