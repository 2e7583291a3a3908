"""The string under a field of a dataclass, which says what the field is for."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache


@cache
def field_docs(record: type) -> dict[str, str]:
    """What is written under each field of a dataclass, on one line; fields without are left out."""
    try:
        source = textwrap.dedent(inspect.getsource(record))
    except (OSError, TypeError):  # made at run time, or shipped without source
        return {}
    body = ast.parse(source).body[0]
    found: dict[str, str] = {}
    field = ""
    for node in body.body if isinstance(body, ast.ClassDef) else ():
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            field = node.target.id
            continue
        text = node.value if isinstance(node, ast.Expr) else None
        if field and isinstance(text, ast.Constant) and isinstance(text.value, str):
            found[field] = " ".join(text.value.split())
        field = ""
    return found


def summary(record: type) -> str:
    """The first sentence of a class's docstring."""
    return (inspect.getdoc(record) or "").split("\n\n")[0].replace("\n", " ")
