"""The style sheet of a report: one column on a phone, two figures beside each other on a desk, ink on paper."""

from __future__ import annotations

from typing import Final

from acumen.render import palette

_DARK_INK: Final = (
    f"--ink:{palette.INK_DARK};--paper:{palette.PAPER_DARK};--faint:#a3adb9;--rule:#353b44;--soft:#1f242b;"
    "--good:#56b4e9;--bad:#ff9d63;--even:#b3bfca;--link:#79b8ff;"
    "--shade:#ffffff59"
)

STYLE: Final = f"""
:root{{color-scheme:light dark;
--ink:{palette.INK};--paper:{palette.PAPER};--faint:#59636e;--rule:#d5dae0;--soft:#f4f6f8;
--good:#005f96;--bad:#a84400;--even:#505a64;--link:#0757a8;--shade:#0000004d}}
@media screen and (prefers-color-scheme:dark){{:root{{{_DARK_INK}}}}}
*{{box-sizing:border-box}}
html{{-webkit-text-size-adjust:100%}}
body{{margin:0;color:var(--ink);background:var(--paper);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere}}
main{{max-width:1040px;margin:0 auto;padding:28px 20px 56px}}
h1{{font-size:1.75rem;line-height:1.2;margin:0 0 .3em}}
h2{{font-size:1.25rem;line-height:1.3;margin:2.2em 0 .6em;padding-top:.7em;border-top:1px solid var(--rule)}}
p{{margin:.6em 0;max-width:70ch}}
a{{color:var(--link)}}
.under{{color:var(--faint);margin-top:0}}
.lead{{font-size:1.1rem;background:var(--soft);border-left:4px solid var(--good);border-radius:0 6px 6px 0;
padding:.7em 1em;max-width:none}}
nav{{display:flex;flex-wrap:wrap;gap:.2em 1.1em;font-size:.93rem;margin:1em 0}}
.scroll,.acumen-card,pre{{overflow-x:auto;scrollbar-width:thin;--ground:var(--paper);
background:linear-gradient(to right,var(--ground) 40%,transparent) 0 0/28px 100% no-repeat local,
linear-gradient(to left,var(--ground) 40%,transparent) 100% 0/28px 100% no-repeat local,
linear-gradient(to right,var(--shade),transparent) 0 0/14px 100% no-repeat scroll,
linear-gradient(to left,var(--shade),transparent) 100% 0/14px 100% no-repeat scroll}}
table{{border-collapse:collapse;font-size:.93rem;font-variant-numeric:tabular-nums;margin:.8em 0}}
caption{{text-align:left;color:var(--faint);padding:0 0 .4em}}
th,td{{padding:.36em .9em .36em 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);
overflow-wrap:break-word}}
th{{font-weight:600;white-space:nowrap}}
thead th{{border-bottom:2px solid var(--rule);vertical-align:bottom}}
.n{{text-align:right;white-space:nowrap}}
td:first-child{{min-width:5em;max-width:min(26em,55vw)}}
.acumen-card td:nth-child(2),.acumen-card td:nth-child(3){{white-space:nowrap}}
.acumen-card td:nth-child(4){{min-width:13em}}
.figures{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:22px 28px;
align-items:start;margin:1em 0}}
figure{{margin:0;min-width:0;max-width:520px}}
figure>svg{{display:block;width:100%;height:auto}}
figcaption{{color:var(--faint);font-size:.9rem;margin-top:.3em}}
.badge{{display:inline-block;white-space:nowrap;font-size:.86rem;font-weight:600;line-height:1.3;
padding:.1em .6em;border-radius:1em;border:1.5px solid currentColor}}
.good{{color:var(--good)}}.bad{{color:var(--bad)}}.even{{color:var(--even)}}
pre{{--ground:var(--soft);background-color:var(--soft);border-radius:6px;padding:.8em 1em;font-size:.88rem;
line-height:1.45;margin:.8em 0}}
code,pre{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}}
pre.whole{{white-space:pre-wrap;overflow-wrap:anywhere}}
details{{margin:1em 0;border:1px solid var(--rule);border-radius:6px;padding:.5em 1em}}
summary{{cursor:pointer;font-weight:600}}
footer{{margin-top:3em;padding-top:1em;border-top:1px solid var(--rule);color:var(--faint);font-size:.88rem}}
@media (max-width:520px){{body{{font-size:15px}}main{{padding:18px 14px 40px}}h1{{font-size:1.4rem}}
table{{font-size:.84rem}}th,td{{padding-right:.6em}}}}
@media print{{body{{font-size:10.5pt}}main{{max-width:none;padding:0}}nav{{display:none}}
h2{{break-after:avoid}}pre{{white-space:pre-wrap}}figure,tr,pre,.lead{{break-inside:avoid}}thead{{display:table-header-group}}
.scroll,.acumen-card{{overflow:visible}}.figures{{grid-template-columns:1fr 1fr}}
details{{border:0;padding:0}}details>*{{display:block}}
details::details-content{{content-visibility:visible;display:block}}a{{color:inherit;text-decoration:none}}}}
"""
