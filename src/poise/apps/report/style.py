"""The page's style sheet: readable on a desk, on a phone, in the dark and on paper."""

from __future__ import annotations

STYLE = """
:root{--ink:#262a30;--soft:#5d6570;--paper:#fff;--card:#f7f7f5;--line:#dcdee2;--grid:#e4e6ea;
--blue:#0072b2;--orange:#d18f00;--vermilion:#d55e00;--green:#009e73;--purple:#b5609a;
--span:#56b4e933;--plot:#fff;color-scheme:light dark}
@media(prefers-color-scheme:dark){:root{--ink:#e9eaec;--soft:#a5acb6;--paper:#16181c;
--card:#1f2227;--line:#363b43;--grid:#31363d;--blue:#56b4e9;--orange:#e69f00;--vermilion:#f0803c;
--green:#35c39b;--purple:#d893bf;--span:#56b4e926;--plot:#1a1d21}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1120px;margin:0 auto;padding:28px 24px 48px}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 14px;overflow-wrap:anywhere}
h2{font-size:1.3rem;margin:40px 0 12px}
h3{font-size:1rem;margin:0 0 6px}
.kicker{margin:0;color:var(--soft);font-size:.85rem;letter-spacing:.04em}
.facts{display:flex;flex-wrap:wrap;gap:8px 28px;margin:0 0 16px}
.facts dt{color:var(--soft);font-size:.8rem}.facts dd{margin:0;font-variant-numeric:tabular-nums}
.summary{border-left:4px solid var(--blue);padding:2px 0 2px 16px;font-size:1.05rem;max-width:52em}
.summary p{margin:6px 0}
figure{margin:0}figcaption{color:var(--soft);font-size:.86rem;margin-top:6px}
.strip{margin-top:26px}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:10px;background:#fafaf8}
.scroll img{display:block;width:100%;min-width:820px;height:auto}
.group{border:1px solid var(--line);border-radius:10px;background:var(--card);margin:0 0 14px;
padding:14px 18px 6px;break-inside:avoid}
.figures{list-style:none;margin:0;padding:0}
.figures li{display:grid;grid-template-columns:minmax(0,1fr) minmax(150px,auto) 176px;gap:4px 20px;
align-items:center;padding:8px 0;border-top:1px solid var(--line)}
.name{display:block;font-weight:600}.about{color:var(--soft);font-size:.88rem}
.how{text-align:right;font-variant-numeric:tabular-nums}
.how small{display:block;color:var(--soft);font-size:.8rem}
.value{font-size:1.12rem;white-space:nowrap}.unit{font-weight:400;font-size:.86rem}
.before{color:var(--soft)}.to{color:var(--soft);margin:0 6px}
.chips{display:flex;gap:6px;justify-content:flex-end}
.chip{font-size:.78rem;padding:1px 9px;border-radius:99px;border:1px solid currentColor;
white-space:nowrap}
.good,.better{color:var(--green)}.fair{color:var(--orange)}.poor,.worse{color:var(--vermilion)}
.same{color:var(--soft)}.poor{font-weight:700}
.charts{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:26px 28px}
.chart{break-inside:avoid;min-width:0}.chart.wide{grid-column:1/-1}
.chart svg{display:block;width:100%;height:auto}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 16px;margin:0 0 2px;padding:0;
font-size:.84rem;color:var(--soft)}
.key{display:inline-block;width:20px;height:0;margin-right:6px;vertical-align:middle;
border-top:3px solid var(--k)}
.key.dashed{border-top-style:dashed}
.key.area{height:11px;border:0;background:var(--k);border-radius:2px}
.key.outline{height:11px;border:2px solid var(--k);border-radius:3px}
.key.blue{--k:var(--blue)}.key.orange{--k:var(--orange)}.key.vermilion{--k:var(--vermilion)}
.key.green{--k:var(--green)}.key.purple{--k:var(--purple)}.key.ink{--k:var(--ink)}
.key.span{--k:var(--span)}
.plot{fill:var(--plot);fill-opacity:0}
svg text{fill:var(--soft);font-family:inherit}
svg .axis{fill:var(--ink)}
.grid{stroke:var(--grid);stroke-width:1;fill:none}.grid.zero{stroke:var(--soft)}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}
.line.dashed{stroke-dasharray:5 4;stroke-width:1.5}
.line.blue{stroke:var(--blue)}.line.orange{stroke:var(--orange)}.line.green{stroke:var(--green)}
.line.vermilion{stroke:var(--vermilion)}.line.purple{stroke:var(--purple)}
.line.ink{stroke:var(--ink)}.line.thin{stroke-width:1}
svg .note{paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
.fill.blue{fill:var(--blue)}.fill.orange{fill:var(--orange)}.fill.vermilion{fill:var(--vermilion)}
.print{fill-opacity:.16;stroke-width:1.3}
.print.blue{fill:var(--blue);stroke:var(--blue)}.print.green{fill:var(--green);stroke:var(--green)}
.span{fill:var(--span)}
.rule{stroke:var(--soft);stroke-width:1.2;stroke-dasharray:2 3;fill:none}
.limit{stroke:var(--vermilion);stroke-width:2;fill:none}
.notes{color:var(--soft);font-size:.9rem}.notes h2{color:var(--ink)}
.notes li{overflow-wrap:anywhere}
@media screen and (max-width:760px){main{padding:18px 16px 36px}h1{font-size:1.5rem}
.charts{grid-template-columns:minmax(0,1fr)}
.figures li{display:flex;flex-wrap:wrap;justify-content:space-between}
.what{flex:1 1 100%}.how{text-align:left}.group{padding:12px 14px 4px}
.chart.wide .svgbox{overflow-x:auto}.chart.wide svg{min-width:640px}}
@media print{main{max-width:none;padding:0}.scroll{overflow:visible}.scroll img{min-width:0}
body{font-size:9.5pt}h2{break-after:avoid;margin-top:20px}.figures li{padding:4px 0}
.charts{gap:14px 20px}}
"""
