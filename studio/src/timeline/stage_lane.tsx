// The stages of a leap: on the ground, in the air.

import { rate, selection } from "../store";
import { Bar } from "./bar";
import { Lane } from "./lane";
import { openMenu } from "./menu";
import { goTo } from "./playback";
import { fitFrames } from "./view";
import { stages } from "./wish_state";
import { framesAndSeconds } from "./words";

export function StageLane() {
  if (stages.value.length === 0) return null;
  const chosen = selection.value?.kind === "stage" ? selection.value.index : -1;
  return (
    <Lane label={<span class="tl-name">Stages</span>} about="stages" look="tl-stages" testid="tl-lane-stages">
      {stages.value.map((each, index) => {
        const select = () => (selection.value = { kind: "stage", index });
        return (
          <Bar
            key={index} first={each.first} last={each.last} testid={`tl-stage-${index}`} chosen={index === chosen}
            look={`tl-stage tl-${each.name}`} label={`${each.name}, frames ${each.first} to ${each.last}`}
            tip={`${each.name}: ${framesAndSeconds(each.first, each.last, rate.value)}`}
            onSelect={select}
            onMenu={(event) => {
              select();
              openMenu(event, [
                { text: "Go to its start", act: () => goTo(each.first) },
                { text: "Go to its end", act: () => goTo(each.last) },
                { text: "Zoom to it", act: () => fitFrames(each.first, each.last) },
              ]);
            }}
          >
            <span class="tl-bar-text">{each.name}</span>
          </Bar>
        );
      })}
    </Lane>
  );
}
