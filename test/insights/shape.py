"""Does a JSON document have the shape of a schema?"""


def fits(value, shape, schema, at="$"):
    """What is wrong with `value`, by the parts of JSON Schema that our files use."""
    if "$ref" in shape:
        return fits(value, schema["definitions"][shape["$ref"].rsplit("/", 1)[1]], schema, at)
    if "anyOf" in shape:
        tried = [fits(value, one, schema, at) for one in shape["anyOf"]]
        return [] if [] in tried else tried[0]
    if "const" in shape:
        return [] if value == shape["const"] else [f"{at}: {value!r}"]
    if "enum" in shape:
        return [] if value in shape["enum"] else [f"{at}: {value!r}"]
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
    wanted = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
    is_bool = isinstance(value, bool) and "boolean" not in wanted
    if is_bool or not any(isinstance(value, kinds[kind]) for kind in wanted):
        return [f"{at}: {value!r} is no {shape['type']}"]
    wrong = []
    if isinstance(value, list):
        for number, item in enumerate(value[:2000]):
            wrong += fits(item, shape["items"], schema, f"{at}[{number}]")
    if isinstance(value, dict):
        properties, others = shape.get("properties", {}), shape.get("additionalProperties", True)
        wrong += [f"{at}.{key} is missing" for key in shape.get("required", []) if key not in value]
        for key, item in value.items():
            if key in properties:
                wrong += fits(item, properties[key], schema, f"{at}.{key}")
            elif others is False:
                wrong += [f"{at}.{key} is not in the schema"]
            elif isinstance(others, dict):
                wrong += fits(item, others, schema, f"{at}.{key}")
    return wrong
