/** @jsxImportSource preact */
// The timeline alone with a real server. Not shipped.
import { render } from "preact";
import "../src/style.css";
import * as store from "../src/store";
import * as timeline from "../src/timeline";

document.documentElement.dataset.theme = "dark";
Object.assign(window, { store, timeline });
store.start();
render(<timeline.Timeline />, document.getElementById("app")!);
