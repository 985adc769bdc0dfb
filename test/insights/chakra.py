"""chakra.py KILN WORK: the execution traces of kiln profile --chakra.

Reads the wire format of protocol buffers by itself, with the numbers of fields of the public schema, and compares what it finds
with the JSON of the same run.
"""
import json
import sys
from pathlib import Path

from tool import Tool, check, finish

run = Tool(sys.argv[1], sys.argv[2]).run
# et_def.proto: the wire types that the fields of a message have, 0 a varint and 2 a length; and the types of a collective.
METADATA = {1: 2, 2: 2}
NODE = {1: 0, 2: 2, 3: 0, 4: 2, 5: 2, 6: 0, 7: 0, 8: 2, 9: 2, 10: 2}
ATTRIBUTE = {1: 2, 7: 0, 9: 0, 12: 2, 27: 0, 29: 2}
LIST = {1: 2}
TYPES = {"all_reduce": 0, "all_gather": 2, "all_gather_v": 2, "all_to_all": 6, "all_to_all_v": 6, "reduce_scatter": 7, "reduce_scatter_v": 7}
LOAD, STORE, COMPUTE, SEND, RECEIVE, COLLECTIVE = range(2, 8)
ALL_REDUCE, ALL_GATHER = 0, 2


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data, schema):
    """[(number, value)] of a message: whole numbers, or bytes."""
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        assert schema.get(key >> 3) == key & 7, f"field {key >> 3} has wire type {key & 7}"
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a message is cut"
        found.append((key >> 3, value))
    return found


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def attribute(data):
    """(name, value) of an AttributeProto."""
    (first, name), (kind, value) = fields(data, ATTRIBUTE)
    assert first == 1
    convert = {7: int, 9: int, 12: lambda v: packed(fields(v, LIST)[0][1]), 27: bool, 29: lambda v: v.decode()}
    return name.decode(), convert[kind](value)


def read(file):
    """The metadata and the nodes of a trace."""
    data, at, messages = Path(file).read_bytes(), 0, []
    while at < len(data):
        size, at = varint(data, at)
        messages.append(fields(data[at:at + size], NODE if messages else METADATA))
        at += size
    check(at == len(data), f"{file}: is cut")
    metadata = dict(attribute(value) for number, value in messages[0] if number == 2)
    metadata["version"] = dict(messages[0])[1].decode()
    nodes = []
    for message in messages[1:]:
        plain = dict(message)
        node = {"id": plain[1], "name": plain[2].decode(), "type": plain[3], "order": packed(plain.get(4, b"")), "needs": packed(plain.get(5, b"")),
                "start": plain[6], "duration": plain[7]}
        node.update(attribute(value) for number, value in message if number == 10)
        nodes.append(node)
    return metadata, nodes


def profiled(name, *words):
    run("profile", *words, "--no-insights", "--chakra", name, "--json", f"{name}.json", "--events")
    document = json.loads(Path(f"{name}.json").read_text())
    return document, [read(f"{name}.{rank}.et") for rank in range(document["ranks"])]


def cores_of(document):
    return document.get("cores", [document])


def check_trace(name, document, rank, metadata, nodes):
    check(metadata["version"] == "0.0.4" and metadata["rank"] == rank and metadata["ranks"] == document["ranks"], f"{name}: {metadata}")
    check([node["id"] for node in nodes] == list(range(len(nodes))), f"{name}: ids")
    by_stream = {}
    for node in nodes:
        where = f"{name}: node {node['id']}"
        check(all(0 <= need < node["id"] for need in node["order"] + node["needs"]), f"{where} needs a later one")
        before = by_stream.get((node.get("core"), node["engine"]))
        check(node["order"] == ([] if before is None else [before]), f"{where}: not behind the one before it")
        by_stream[node.get("core"), node["engine"]] = node["id"]
        check(node["start"] == node["start_ps"] // 10**6, f"{where}: start")
        check(abs(node["duration"] * 10**6 - node["duration_ps"]) <= 500_000, f"{where}: duration")
        check(node["start_ps"] + node["duration_ps"] <= document["makespan_ns"] * 1000 + 1, f"{where}: ends late")
        check(node["is_cpu_op"] is False, f"{where}: on a CPU")
        # What it needs has begun before it ends; a transfer may begin before its rank waits for peers.
        check(all(nodes[need]["start_ps"] <= node["start_ps"] + node["duration_ps"] for need in node["needs"]), f"{where} comes before what it needs")
    cores = document["cores_of_rank"]
    for number, core in enumerate(cores_of(document)[rank * cores:(rank + 1) * cores]):
        own = [node for node in nodes if node.get("core", 0) == number]
        work = [one for one in core["binary"] if one["kind"] != "control"]
        kinds = {"dma_in": LOAD, "dma_out": STORE}
        for kind in (LOAD, STORE):
            wanted = sum(one["runs"] for one in work if kinds.get(one["kind"]) == kind)
            check(sum(node["type"] == kind for node in own) == wanted, f"{name}: {wanted} nodes of type {kind}")
        flops = sum(node.get("num_ops", 0) for node in own)
        check(flops == core["hierarchy"][0]["sums"]["flops"], f"{name}: {flops} flops")
        moved = sum(node.get("tensor_size", 0) for node in own)
        met = sum(one["bytes"] for one in core["collectives"])
        check(moved + met == core["hierarchy"][0]["sums"]["bytes"], f"{name}: {moved} bytes, {met} in collectives")
        if not any(node["type"] in (SEND, RECEIVE) for node in own):
            check(len(own) == sum(one["runs"] for one in work), f"{name}: {len(own)} nodes")
            collectives = [node for node in own if node["type"] == COLLECTIVE]
            # What the two cores of a rank exchange is no network's business.
            told = [one for one in core["collectives"] if one["op"] != "sendrecv"]
            check(len(collectives) == len(told), f"{name}: {len(collectives)} collectives")
            for node, one in zip(sorted(collectives, key=lambda node: node["start_ps"]), sorted(told, key=lambda one: one["came_ns"])):
                check(abs(node["start_ps"] - 1000 * one["came_ns"]) < 1 and node["name"] == one["op"], f"{name}: {node} is not {one}")
                check(abs(node["start_ps"] + node["duration_ps"] - 1000 * one["end_ns"]) < 1, f"{name}: end of {node}")
                check(node["comm_type"] == TYPES[one["op"]], f"{name}: type of {node}")
                check(len(node["comm_group"]) == one["members"] and node["algorithm"] == one["algorithm"], f"{name}: {node}")


# The ranks of a collective do the same, with the same ranks.
reduce, traces = profiled("reduce", "sbuf_all_reduce", "--group=4", "--ranks=4")
for rank, (metadata, nodes) in enumerate(traces):
    check_trace(f"reduce {rank}", reduce, rank, metadata, nodes)
    found = [(node["comm_type"], node["comm_size"], node["comm_group"], node["pg_name"]) for node in nodes if node["type"] == COLLECTIVE]
    # Squares of 128 rows of 512 in the type of the kernel.
    check(found == [(ALL_REDUCE, found[0][1], [0, 1, 2, 3], "0,1,2,3")] * 2 and found[0][1] in (128 * 512 * 2, 128 * 512 * 4), f"reduce {rank}: {found}")

# What goes around a ring: each sends to the next one, and receives from the one before.
for kernel in ("ring_all_gather", "ring_reduce_scatter"):
    document, traces = profiled(kernel, kernel, "--group=4", "--ranks=4")
    sends, receives = [], []
    for rank, (metadata, nodes) in enumerate(traces):
        check_trace(f"{kernel} {rank}", document, rank, metadata, nodes)
        for node in nodes:
            if node["type"] in (SEND, RECEIVE):
                check(node["comm_src" if node["type"] == SEND else "comm_dst"] == rank, f"{kernel} {rank}: {node}")
                (sends if node["type"] == SEND else receives).append(tuple(node[key] for key in ("comm_src", "comm_dst", "comm_tag", "comm_size")))
    check(sends and sorted(sends) == sorted(receives), f"{kernel}: {len(sends)} sends, {len(receives)} receives")
    check(all(to == (of + 1) % 4 for of, to, _, _ in sends), f"{kernel}: not to the next one: {sends}")
    check(not any(node["type"] == COLLECTIVE for _, nodes in traces for node in nodes), f"{kernel}: a step is no collective")
    # A rank that received before it sends would let the ring pass one piece at a time.
    for rank, (_, nodes) in enumerate(traces):
        passed = [(node["comm_tag"], node["type"]) for node in nodes if node["type"] in (SEND, RECEIVE)]
        check(passed == sorted(passed) and len(passed) == 2 * len({tag for tag, _ in passed}), f"{kernel} {rank}: {passed}")

# One rank, and two cores of it.
document, traces = profiled("attention", "flash_attention")
check_trace("attention", document, 0, *traces[0])
check(any(len(node["needs"]) > 1 for node in traces[0][1]), "attention: no node needs two")
document, traces = profiled("cores", "rmsnorm_cores", "--cores=2")
check_trace("cores", document, 0, *traces[0])
check({node["core"] for node in traces[0][1]} == {0, 1}, "cores: not both")

done = run("profile", "softmax", "--chakra", "no/such/folder/x", code=1)
check("no/such/folder" in done.stderr, f"a folder that is not there: {done.stderr}")
finish()
