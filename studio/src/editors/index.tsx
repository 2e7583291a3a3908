// Editors of methods, curves and measures.

export { CurveEditor } from "./curve_editor";
export { MeasuresPanel } from "./measures_panel";
export { MethodEditor } from "./method_editor";
