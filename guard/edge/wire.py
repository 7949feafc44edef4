"""JSON as clients write it: bytes to values and back. The C scanner without its wrapper, which costs 9 ms a call."""
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    import _json as fast
except ImportError:  # an interpreter without the C parts
    fast = None  # type: ignore[assignment]

_BOM = b"\xef\xbb\xbf"
_SPACE = " \t\n\r"


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _cannot(value: object) -> None:
    raise ValueError(f"{type(value).__name__} is not JSON")


class _Context:
    """What `_json.make_scanner` asks for; its attributes are read from the class."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(_no_constant)


def loads(data: bytes) -> "Any":
    """The one value in `data` (UTF-8, a BOM is skipped). ValueError for anything else, however broken or deep."""
    try:
        text = (data[3:] if data.startswith(_BOM) else data).decode("utf-8")
        if fast is None:
            import json
            return json.loads(text, parse_constant=_no_constant)
        start = len(text) - len(text.lstrip(_SPACE))
        value, end = fast.make_scanner(_Context)(text, start)  # type: ignore[arg-type]
    except RecursionError:
        raise ValueError("nested too deep") from None
    except SystemError:  # 3.11's scanner cannot raise its own error while `json` is not imported
        raise ValueError("not JSON") from None
    except StopIteration as stop:
        raise ValueError(f"no value at character {stop.value}") from None
    if text[end:].strip(_SPACE):
        raise ValueError(f"more than one value: character {end}")
    return value


def dumps(value: "Any") -> bytes:
    """One line of ASCII without a newline. ValueError for what JSON cannot say."""
    try:
        if fast is None:
            import json
            return json.dumps(value, allow_nan=False).encode()
        encode = fast.make_encoder(None, _cannot, fast.encode_basestring_ascii, None, ": ", ", ", False, False, False)
        return "".join(encode(value, 0)).encode()
    except (RecursionError, SystemError, TypeError):
        raise ValueError("not JSON, or nested too deep") from None
