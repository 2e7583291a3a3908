"""The layout of a foreign file inside the native one, so that the way back stays open.

Layouts are frozen records of plain values. They are told as JSON by their fields and rebuilt by
their field types, from the table below and nothing else.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from importlib import import_module
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from poise.errors import BadValue, PoiseError

LAYOUTS: dict[str, str] = {
    "bvh": "bvh_layout:BvhLayout",
    "amc": "amc_layout:AmcLayout",
}
"""Format name to the record its reader leaves in `Source.layout`."""


def layout_as_plain(format_name: str, layout: object) -> dict[str, Any] | None:
    """JSON values for a layout, or None for a kind that has no place in the table."""
    if format_name not in LAYOUTS or type(layout) is not _record(format_name):
        return None
    return cast(dict[str, Any], _plain(layout))


def layout_from_plain(format_name: str, value: object, channel_count: int | None) -> object:
    """The layout again; raises `BadValue` for anything that such a record cannot be.

    Args:
        format_name: a key of `LAYOUTS`.
        value: what `layout_as_plain` gave.
        channel_count: columns of the file's own numbers, where they are kept.
    """
    if format_name not in LAYOUTS:
        raise BadValue("layout", f"of a format among {', '.join(LAYOUTS)}", format_name)
    layout = _rebuilt("layout", _record(format_name), value)
    try:
        width = _width(format_name, layout)
    except (LookupError, ValueError, TypeError, PoiseError) as problem:
        raise BadValue("layout", "consistent in itself", str(problem)) from problem
    if channel_count is not None and width != channel_count:
        raise BadValue("layout", f"for {channel_count} channels", width)
    return layout


def _record(format_name: str) -> type[Any]:
    module, name = LAYOUTS[format_name].split(":")
    return cast(type[Any], getattr(import_module(f"poise.formats.{module}"), name))


def _width(format_name: str, layout: Any) -> int:
    """Columns of a frame; on the way every name and index in the layout is looked up once."""
    if format_name == "amc":
        _ = [bone.axes_wxyz for bone in layout.asf.bones]
        _ = [(bone.turn_axes, bone.move_axes) for bone in layout.asf.bones]
        _ = layout.asf.skeleton
        return int(layout.width)
    for index, joint in enumerate(layout.joints):
        _ = joint.position_axes, joint.rotation_axes
        if not -1 <= joint.parent < max(index, 1) or (joint.parent == -1) != (index == 0):
            raise ValueError(f"joint {joint.name} has parent {joint.parent}")
    for tip in layout.tips:
        _ = layout.joints[tip.joint]
    return int(layout.starts[-1])


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value) if _told(f.name)}
    if isinstance(value, tuple):
        return [_plain(item) for item in cast(tuple[Any, ...], value)]
    return value


def _told(name: str) -> bool:
    return not name.startswith("_")


def _rebuilt(where: str, kind: Any, value: Any) -> Any:
    """A value of the declared type, from JSON."""
    if get_origin(kind) in (UnionType, Union):
        choices = [choice for choice in get_args(kind) if choice is not type(None)]
        if value is None and len(choices) < len(get_args(kind)):
            return None
        return _rebuilt(where, choices[0], value)
    if get_origin(kind) is tuple:
        return _rebuilt_tuple(where, get_args(kind), value)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        names = [f.name for f in fields(kind) if _told(f.name)]
        if not isinstance(value, dict) or set(cast(dict[str, Any], value)) != set(names):
            raise BadValue(where, f"an object with {', '.join(names)}", type(value).__name__)
        given = cast(dict[str, Any], value)
        made = {name: _rebuilt(f"{where}.{name}", hints[name], given[name]) for name in names}
        return cast(type[Any], kind)(**made)
    if kind is float and type(value) is int:
        return float(value)
    if kind not in (str, int, float, bool) or type(value) is not kind:
        raise BadValue(where, f"of type {getattr(kind, '__name__', kind)}", type(value).__name__)
    return value


def _rebuilt_tuple(where: str, kinds: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise BadValue(where, "a list", type(value).__name__)
    items = cast(list[Any], value)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(items)
    if len(items) != len(kinds):
        raise BadValue(where, f"a list of {len(kinds)}", len(items))
    return tuple(
        _rebuilt(f"{where}[{i}]", kind, item)
        for i, (kind, item) in enumerate(zip(kinds, items, strict=True))
    )
