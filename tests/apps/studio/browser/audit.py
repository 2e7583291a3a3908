"""What a page looks like to those who cannot see all of it: names, focus, what is cut off."""

from __future__ import annotations

from typing import Any

from tests.apps.studio.browser.studio_page import StudioPage

INTERACTIVE = frozenset(
    "button checkbox combobox link listbox menuitem option radio searchbox slider spinbutton "
    "switch tab textbox".split()
)
"""Roles of what can be operated."""
WITHOUT_FOCUS = frozenset(("option", "menuitem"))
"""Those whose owner has the focus."""

CUT_OFF = """(within) => {
  const found = [];
  const wanted = "button, input, select, textarea, summary, [role=button], [role=tab], [role=slider]";
  const style = (each) => getComputedStyle(each);
  /** What of the window a part that scrolls, in parts that scroll, leaves to be seen. */
  const roomOf = (each) => {
    const room = { left: 0, top: 0, right: innerWidth, bottom: innerHeight, scrolls: false };
    for (let around = each.parentElement; around; around = around.parentElement) {
      const { overflowX, overflowY, position } = style(around);
      const box = around.getBoundingClientRect();
      if (/auto|scroll|hidden|clip/.test(overflowX)) {
        room.left = Math.max(room.left, box.left);
        room.right = Math.min(room.right, box.right);
      }
      if (/auto|scroll|hidden|clip/.test(overflowY)) {
        room.top = Math.max(room.top, box.top);
        room.bottom = Math.min(room.bottom, box.bottom);
        if (/auto|scroll/.test(overflowY) && around.scrollHeight > around.clientHeight + 1) room.scrolls = true;
      }
      if (position === "fixed") break;
    }
    return room;
  };
  for (const each of document.querySelectorAll(within ? `${within} :is(${wanted})` : wanted)) {
    if (!each.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (each.closest(".pn-hidden")) continue;
    const box = each.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) continue;
    const name = each.dataset.testid ?? each.getAttribute("aria-label") ?? each.textContent.trim();
    const room = roomOf(each);
    // Bars of the timeline may be longer than what is in sight of it.
    const bar = each.closest(".tl-bar, .tl-ruler");
    if (!bar && (box.left < room.left - 1 || box.right > room.right + 1)) found.push([name, "cut off at a side"]);
    const high = box.top < room.top - 1 || box.bottom > room.bottom + 1;
    if (high && !room.scrolls) found.push([name, "cut off above or below"]);
    if (high || bar) continue;
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const top = document.elementFromPoint(x, y);
    const label = each.closest("label");
    if (top && !each.contains(top) && !top.contains(each) && !(label && label.contains(top)))
      found.push([name, `covered by ${top.dataset?.testid ?? top.className?.baseVal ?? (top.className || top.tagName)}`]);
    // Words that end in dots on purpose say so by their style.
    const dots = [each, ...each.querySelectorAll("*")].some((part) => style(part).textOverflow === "ellipsis");
    if (each.matches("button, [role=tab]") && each.scrollWidth > each.clientWidth + 2 && !dots)
      found.push([name, `its words need ${each.scrollWidth} of ${each.clientWidth} pixels`]);
  }
  return found;
}"""


def tree(page: StudioPage) -> list[dict[str, Any]]:
    """The accessibility tree as Chromium gives it to a screen reader."""
    session = page.context.new_cdp_session(page.page)
    try:
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    finally:
        session.detach()
    return [node for node in nodes if not node.get("ignored")]


def _told(node: dict[str, Any], key: str) -> Any:
    return node.get(key, {}).get("value", "")


def without_names(page: StudioPage) -> list[str]:
    """Controls that a screen reader has no word for."""
    return [
        f"{_told(node, 'role')} {node.get('backendDOMNodeId')}"
        for node in tree(page)
        if _told(node, "role") in INTERACTIVE and not str(_told(node, "name")).strip()
    ]


def without_focus(page: StudioPage) -> list[str]:
    """Controls that a keyboard cannot get to."""
    missed = []
    for node in tree(page):
        facts = {each["name"]: each["value"].get("value") for each in node.get("properties", ())}
        role = _told(node, "role")
        if role not in INTERACTIVE - WITHOUT_FOCUS or facts.get("disabled"):
            continue
        if not facts.get("focusable"):
            missed.append(f"{role} {_told(node, 'name')}")
    return missed


def cut_off(page: StudioPage, within: str = "") -> list[str]:
    """Controls that are not all in the window, lie below others, or have lost their words.

    What can be scrolled to counts as seen; `within` is the part of the page that is on top.
    """
    return sorted({f"{name}: {why}" for name, why in page.page.evaluate(CUT_OFF, within)})
