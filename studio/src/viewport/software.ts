// Whether the picture is drawn without a graphics card.

let software: boolean | undefined;

/** Without a graphics card every pixel and every triangle costs: fewer of both then. */
export function drawsInSoftware(): boolean {
  if (software !== undefined) return software;
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = String((info && gl?.getParameter(info.UNMASKED_RENDERER_WEBGL)) ?? "");
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return (software = /swiftshader|llvmpipe|software|basic render/i.test(name));
}
