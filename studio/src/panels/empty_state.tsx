// Nothing is open: what to do, in three steps, and everything that can be opened.

import { link, welcome } from "../store";
import { Icon } from "./icons";
import { ProjectFiles, Recent, Samples, UploadBox } from "./open_panel";
import { startTour } from "./tour";

const STEPS = [
  ["Open a motion", "A sample, a clip of your project, or a file dropped on this page."],
  ["Drag what should be elsewhere", "A hand, a foot, the centre of mass, a landing. The rest of the body follows at once."],
  ["See that it holds, and take it along", "Balance, contacts and forces are drawn on top; export the clip or the recipe."],
] as const;

export function EmptyState() {
  if (!welcome.value)
    return (
      <div class="pn-empty pn-empty-wait" data-testid="empty-state" role="status">
        {link.value === "refused" ? "Not connected." : "Connecting…"}
      </div>
    );
  return (
    <main class="pn-empty" data-testid="empty-state">
      <div class="pn-empty-inner">
        <section class="pn-hero">
          <h1>Move a body, keep it believable.</h1>
          <ol>
            {STEPS.map(([title, text], i) => (
              <li key={title}>
                <span class="pn-hero-number" aria-hidden="true">{i + 1}</span>
                <span><strong>{title}</strong><br /><span class="pn-faint">{text}</span></span>
              </li>
            ))}
          </ol>
          <div class="pn-line">
            <button type="button" class="primary" data-testid="take-tour" onClick={startTour}><Icon name="play" /> Take the tour</button>
            <span class="pn-faint">Two minutes, on a walk.</span>
          </div>
          <UploadBox />
          <Recent />
        </section>
        <section class="pn-offers">
          <div>
            <h2>Samples</h2>
            <Samples />
          </div>
          <div>
            <h2>In {welcome.value.project}</h2>
            <ProjectFiles />
          </div>
        </section>
      </div>
    </main>
  );
}
