// The shortcuts, and the way to the tour.

import { welcome } from "../store";
import { SHORTCUTS } from "../keys";
import { Dialog } from "./dialog";
import { Icon } from "./icons";
import { startTour } from "./tour";
import { helpOpen } from "./ui";

export function Help() {
  if (!helpOpen.value) return null;
  const close = (): void => {
    helpOpen.value = false;
  };
  return (
    <Dialog title="Shortcuts" testid="help-overlay" onClose={close}>
      <div class="pn-shortcuts">
        {SHORTCUTS.map(({ title, keys }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {keys.map(([names, what]) => (
                <div key={what}>
                  <dt>{names.map((each, i) => <kbd key={i}>{each}</kbd>)}</dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div class="pn-dialog-buttons">
        <span class="pn-faint">Poise {welcome.value?.version}</span>
        <span class="pn-space" />
        <button type="button" data-testid="help-tour" onClick={() => {
          close();
          startTour();
        }}><Icon name="play" /> Take the tour</button>
      </div>
    </Dialog>
  );
}
