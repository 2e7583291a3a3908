// How the page is laid out: a bar on top, panels beside the viewport, the timeline below.

import "./panels/theme";
import { useEffect, useState } from "preact/hooks";
import { documentState, openStep, recipe } from "./store";
import { wishesOf } from "./recipe";
import { installKeys } from "./keys";
import { MeasuresPanel, MethodEditor } from "./editors";
import { Timeline } from "./timeline";
import { Viewport } from "./viewport";
import { BodyNames } from "./panels/body_names";
import { BodyPanel } from "./panels/body_panel";
import { ConstraintsPanel } from "./panels/constraints_panel";
import { DropOverlay } from "./panels/drop_overlay";
import { PurposeDialog } from "./panels/dropped";
import { EmptyState } from "./panels/empty_state";
import { SaveDialog } from "./panels/export_menu";
import { Help } from "./panels/help";
import { Icon, type IconName } from "./panels/icons";
import { ConnectionBanner, Notices, Problems, Waiting } from "./panels/messages_area";
import { OpenPanel } from "./panels/open_panel";
import { Splitter } from "./panels/splitter";
import { Tabs } from "./panels/tabs";
import { Tooltip } from "./panels/tooltip";
import { TopBar } from "./panels/top_bar";
import { Tour } from "./panels/tour";
import { leftTab, resize, rightTab, sizes, type LeftTab, type RightTab } from "./panels/ui";
import "./panels/panels.css";
import "./panels/layout.css";

/** What is left of the window for the viewport, whatever the panels would like. */
const LEAST = { panel: 220, timeline: 96, centre: 320, view: 180 };
const TOP_PX = 44;
const BAR_PX = 5;

export function App() {
  useEffect(installKeys, []);
  const open = documentState.value !== null;
  return (
    <div class="pn-app">
      <TopBar />
      <ConnectionBanner />
      {open ? <Workplace /> : <><EmptyState /><Problems /></>}
      <Notices />
      <Waiting />
      <BodyNames />
      <DropOverlay />
      <SaveDialog />
      <PurposeDialog />
      <Help />
      <Tour />
      <Tooltip />
    </div>
  );
}

function useWindowSize(): [number, number] {
  const [size, setSize] = useState<[number, number]>([innerWidth, innerHeight]);
  useEffect(() => {
    const changed = (): void => setSize([innerWidth, innerHeight]);
    addEventListener("resize", changed);
    return () => removeEventListener("resize", changed);
  }, []);
  return size;
}

function Workplace() {
  const [width, height] = useWindowSize();
  const wanted = sizes.value;
  // Sizes are wishes: a smaller window keeps the viewport, and a larger one has them back.
  const room = width - LEAST.centre - 2 * BAR_PX;
  const squeeze = Math.min(1, room / Math.max(1, wanted.left + wanted.right));
  const left = Math.max(LEAST.panel, Math.round(wanted.left * squeeze));
  const right = Math.max(LEAST.panel, Math.round(wanted.right * squeeze));
  const mostTimeline = height - TOP_PX - LEAST.view - BAR_PX;
  const timeline = Math.min(wanted.timeline, mostTimeline);
  const columns = `${wanted.leftShut ? "28px 0" : `${left}px ${BAR_PX}px`} minmax(0, 1fr) ${wanted.rightShut ? "0 28px" : `${BAR_PX}px ${right}px`}`;
  const rows = `minmax(0, 1fr) ${wanted.timelineShut ? "0 24px" : `${BAR_PX}px ${timeline}px`}`;
  return (
    <div class="pn-work" style={{ gridTemplateColumns: columns, gridTemplateRows: rows }}>
      <div class="pn-left">{wanted.leftShut ? <Unfold what="left panel" icon="right" onClick={() => resize({ leftShut: false })} /> : <LeftPanel />}</div>
      {!wanted.leftShut && (
        <Splitter label="Width of the left panel" along="vertical" size={left} least={LEAST.panel} most={width - right - LEAST.centre} sign={1} testid="split-left"
          onSize={(size) => resize({ left: size })} onFold={() => resize({ leftShut: true })} />
      )}
      <main class="pn-centre">
        <Viewport />
        <Problems />
      </main>
      {!wanted.rightShut && (
        <Splitter label="Width of the right panel" along="vertical" size={right} least={LEAST.panel} most={width - left - LEAST.centre} sign={-1} testid="split-right"
          onSize={(size) => resize({ right: size })} onFold={() => resize({ rightShut: true })} />
      )}
      <div class="pn-right">{wanted.rightShut ? <Unfold what="right panel" icon="left" onClick={() => resize({ rightShut: false })} /> : <RightPanel />}</div>
      {!wanted.timelineShut && (
        <Splitter label="Height of the timeline" along="horizontal" size={timeline} least={LEAST.timeline} most={mostTimeline} sign={-1} testid="split-timeline"
          onSize={(size) => resize({ timeline: size })} onFold={() => resize({ timelineShut: true })} />
      )}
      {!wanted.timelineShut && <Fold what="timeline" icon="down" onClick={() => resize({ timelineShut: true })} />}
      <div class="pn-bottom">
        {wanted.timelineShut ? <Unfold what="timeline" icon="up" onClick={() => resize({ timelineShut: false })} /> : <Timeline />}
      </div>
    </div>
  );
}

interface FoldProps { what: string; icon: IconName; onClick(): void }

function Fold({ what, icon, onClick }: FoldProps) {
  return (
    <button type="button" class="quiet small icon pn-fold-button" aria-label={`Fold the ${what}`} data-tip={`Fold the ${what}`}
      data-testid={`fold-${what.split(" ")[0]}`} onClick={onClick}><Icon name={icon} size={12} /></button>
  );
}

function Unfold({ what, icon, onClick }: FoldProps) {
  return (
    <button type="button" class="quiet pn-unfold" aria-label={`Show the ${what}`} data-tip={`Show the ${what}`}
      data-testid={`unfold-${what.split(" ")[0]}`} onClick={onClick}><Icon name={icon} size={14} /></button>
  );
}

function LeftPanel() {
  const now = recipe.value;
  const count = now ? wishesOf(now, openStep.value).length : 0;
  return (
    <Tabs<LeftTab> label="Left panel" testid="left" open={leftTab.value} onOpen={(tab) => (leftTab.value = tab)}
      aside={<Fold what="left panel" icon="left" onClick={() => resize({ leftShut: true })} />}
      tabs={[
        { key: "open", label: "Open" }, { key: "body", label: "Body & place" },
        { key: "constraints", label: "Constraints", badge: count ? String(count) : undefined },
      ]}>
      {leftTab.value === "open" ? <OpenPanel /> : leftTab.value === "body" ? <BodyPanel /> : <ConstraintsPanel />}
    </Tabs>
  );
}

function RightPanel() {
  return (
    <Tabs<RightTab> label="Right panel" testid="right" open={rightTab.value} onOpen={(tab) => (rightTab.value = tab)}
      aside={<Fold what="right panel" icon="right" onClick={() => resize({ rightShut: true })} />}
      tabs={[{ key: "method", label: "Method" }, { key: "measures", label: "Measures" }]}>
      {rightTab.value === "method" ? <MethodEditor /> : <MeasuresPanel />}
    </Tabs>
  );
}
