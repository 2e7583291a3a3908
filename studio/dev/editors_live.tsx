import { render } from "preact";
import * as store from "../src/store";
import { CurveEditor, MeasuresPanel, MethodEditor } from "../src/editors";
import "../src/style.css";
Object.assign(window, { store });
document.body.style.cssText += ";background:var(--panel);height:auto;overflow:auto";
render(<div style="display:flex;gap:8px;align-items:flex-start">
  <div style="width:340px"><MethodEditor /></div><div style="width:340px"><CurveEditor /></div><div style="width:340px"><MeasuresPanel /></div>
</div>, document.getElementById("app")!);
store.start();
