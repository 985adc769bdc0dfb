"""What is wrong with a value, by the part of JSON Schema that the files in docs use."""
import re

TYPES = {"object": dict, "string": str, "integer": int, "array": list, "null": type(None), "boolean": bool,
         "number": (int, float)}
KNOWN = {"$schema", "$defs", "title", "description", "type", "required", "additionalProperties", "properties", "enum",
         "const", "pattern", "minLength", "minimum", "items", "minItems"}


def fits(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def problems(value, rule, root, where="$"):
    if "oneOf" in rule:
        tried = [list(problems(value, part, root, where)) for part in rule["oneOf"]]
        if sum(not found for found in tried) != 1:
            yield min((found for found in tried if found), key=len, default=[f"{where}: several forms fit"])[0]
        return
    if "$ref" in rule:
        rule = root["$defs"][rule["$ref"].rsplit("/", 1)[1]]
        if "oneOf" in rule:
            yield from problems(value, rule, root, where)
            return
    if unknown := set(rule) - KNOWN:
        yield f"{where}: this test does not know {unknown}"
    names = [rule["type"]] if isinstance(rule.get("type"), str) else rule.get("type", [])
    if names and not any(fits(value, name) for name in names):
        yield f"{where}: {value!r} is not {names}"
    if "enum" in rule and value not in rule["enum"] or "const" in rule and value != rule["const"]:
        yield f"{where}: {value!r} is none of {rule.get('enum', rule.get('const'))}"
    if isinstance(value, str) and ("pattern" in rule and not re.search(rule["pattern"], value)
                                   or len(value) < rule.get("minLength", 0)):
        yield f"{where}: {value!r}"
    if isinstance(value, (int, float)) and value < rule.get("minimum", value):
        yield f"{where}: {value}"
    if isinstance(value, dict):
        for name in set(rule.get("required", [])) - set(value):
            yield f"{where}: no {name}"
        for name, part in value.items():
            if name in rule.get("properties", {}):
                yield from problems(part, rule["properties"][name], root, f"{where}.{name}")
            elif rule.get("additionalProperties") is False:
                yield f"{where}: unknown {name}"
            elif isinstance(rule.get("additionalProperties"), dict):
                yield from problems(part, rule["additionalProperties"], root, f"{where}.{name}")
    if isinstance(value, list):
        if len(value) < rule.get("minItems", 0):
            yield f"{where}: {len(value)} items"
        for i, part in enumerate(value):
            yield from problems(part, rule.get("items", {}), root, f"{where}[{i}]")
