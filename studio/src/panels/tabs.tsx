// Tabs: one panel at a time, the arrow keys go from one to the next.

import type { ComponentChildren } from "preact";

export interface Tab<K extends string> { key: K; label: string; badge?: string }

interface TabsProps<K extends string> {
  label: string;
  tabs: Tab<K>[];
  open: K;
  onOpen(key: K): void;
  testid: string;
  children: ComponentChildren;
  /** Beside the tabs: a button that folds the panel. */
  aside?: ComponentChildren;
}

export function Tabs<K extends string>({ label, tabs, open, onOpen, testid, children, aside }: TabsProps<K>) {
  const keys = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((each) => each.key === open);
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = tabs[(at + by + tabs.length) % tabs.length]!;
    onOpen(next.key);
    document.getElementById(`${testid}-${next.key}`)?.focus();
  };
  return (
    <section class="pn-panel" aria-label={label}>
      <div class="pn-tabs-bar">
        <div class="pn-tabs" role="tablist" aria-label={label} onKeyDown={keys}>
          {tabs.map((each) => (
            <button key={each.key} type="button" role="tab" id={`${testid}-${each.key}`} data-testid={`tab-${each.key}`} class="pn-tab"
              aria-selected={each.key === open} aria-controls={`${testid}-panel`} tabIndex={each.key === open ? 0 : -1}
              onClick={() => onOpen(each.key)}>
              <span>{each.label}</span>
              {each.badge && <span class="pn-badge">{each.badge}</span>}
            </button>
          ))}
        </div>
        {aside}
      </div>
      <div key={open} class="pn-panel-body" role="tabpanel" id={`${testid}-panel`} aria-labelledby={`${testid}-${open}`} data-testid={`${testid}-panel`}>
        {children}
      </div>
    </section>
  );
}
