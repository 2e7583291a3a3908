// The page.

import { render } from "preact";
import { start } from "./store";
import { App } from "./app";
import "./style.css";

render(<App />, document.getElementById("app")!);
start();
