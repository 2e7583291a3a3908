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

CUT_OFF = """() => {
  const found = [];
  const wanted = "button, input, select, textarea, summary, [role=button], [role=tab], [role=slider]";
  const scrolls = (each) => /(auto|scroll)/.test(getComputedStyle(each).overflow + getComputedStyle(each).overflowX + getComputedStyle(each).overflowY);
  for (const each of document.querySelectorAll(wanted)) {
    if (!each.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (each.closest(".pn-hidden, svg")) continue;
    const box = each.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) continue;
    const name = each.dataset.testid ?? each.getAttribute("aria-label") ?? each.textContent.trim();
    // What is outside of a part that scrolls can be brought into it.
    let around = each.parentElement;
    while (around && !scrolls(around)) around = around.parentElement;
    const room = (around ?? document.documentElement).getBoundingClientRect();
    const inside = box.left >= room.left - 1 && box.right <= room.right + 1 && box.top >= room.top - 1 && box.bottom <= room.bottom + 1;
    if (around && !inside) {
      const sideways = box.left < room.left - 1 || box.right > room.right + 1;
      const can = around.scrollWidth > around.clientWidth + 1 || around.closest(".tl-area");
      if (sideways && !can) found.push([name, "cut off at a side"]);
      continue;
    }
    if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1) {
      found.push([name, "outside of the window"]);
      continue;
    }
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const label = each.closest("label");
    if (top && !each.contains(top) && !top.contains(each) && !(label && label.contains(top)))
      found.push([name, `covered by ${top.dataset?.testid ?? top.className?.baseVal ?? (top.className || top.tagName)}`]);
    if (each.matches("button, [role=tab]") && each.scrollWidth > each.clientWidth + 2 && !each.querySelector("[class*=name], span[class]"))
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


def cut_off(page: StudioPage) -> list[str]:
    """Controls that lie outside of the window, below something else, or have lost their words."""
    return sorted({f"{name}: {why}" for name, why in page.page.evaluate(CUT_OFF)})
