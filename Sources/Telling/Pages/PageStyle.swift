import Plots

/// How a report looks: light and dark, on a screen of any width and on paper.
package enum PageStyle {
  /// The whole page.
  package static let page =
    PlotStyle.plots + """
      *{box-sizing:border-box}
      body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
      main{max-width:88rem;margin:0 auto;padding:1.5rem 1rem 4rem}
      h1{font-size:1.9rem;line-height:1.2;margin:.2rem 0 .6rem;overflow-wrap:anywhere}
      h2{font-size:1.2rem;margin:2.2rem 0 .6rem}
      p{margin:.4rem 0}.soft{color:var(--soft)}
      .verdict{display:inline-block;padding:.15rem .7rem;border-radius:999px;font-weight:600;\
      border:2px solid currentColor}
      .ok{color:var(--ok)}.bad{color:var(--bad)}.warn{color:var(--warn)}
      dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:1rem 0;padding:1rem;\
      background:var(--card);border:1px solid var(--line);border-radius:.6rem}
      dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
      .scroll{overflow-x:auto}
      table{border-collapse:collapse;width:100%}
      th,td{text-align:left;padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}
      th{color:var(--soft);font-weight:600}
      td:first-child,.number{white-space:nowrap;font-variant-numeric:tabular-nums}
      .numbers{width:auto}.numbers th,.numbers td{padding:.35rem 0 .35rem 1.5rem;text-align:right;white-space:nowrap}
      .numbers th:first-child,.numbers td:first-child{padding-left:0;text-align:left}
      p,dl,.scroll{max-width:60rem}.scroll:has(.numbers){max-width:none}
      .headline{font-size:1.3rem;font-weight:600}
      .figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,36rem),1fr));gap:1.4rem 1.6rem}
      figure{margin:0;min-width:0}figcaption{font-weight:600;margin-bottom:.3rem}
      .notes{list-style:none;margin:.4rem 0 0;padding:0}
      figure .plot{width:100%;height:auto;display:block;border:1px solid var(--line);border-radius:.6rem;padding:.4rem}
      pre{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem;overflow-x:auto;\
      font:13px/1.45 ui-monospace,monospace}
      footer{margin-top:3rem;color:var(--soft);font-size:.9rem}
      @media(max-width:30rem){h1{font-size:1.5rem}dl{grid-template-columns:1fr;gap:0}dt{margin-top:.4rem}\
      .plot text{font-size:21px}td:first-child{white-space:normal}th,td{overflow-wrap:anywhere}\
      .numbers thead{display:none}.numbers,.numbers tbody{display:block;width:100%}\
      .numbers tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(7rem,1fr));gap:.1rem 1.2rem;\
      padding:.5rem 0;border-bottom:1px solid var(--line)}\
      .numbers td{display:flex;justify-content:space-between;border:0;padding:0}\
      .numbers td:empty{display:none}.numbers td::before{content:attr(data-label);color:var(--soft);padding-right:.5rem}\
      .numbers td:first-child{grid-column:1/-1;justify-content:start;font-weight:600;padding:0}}
      @media print{main{max-width:none}figure,pre,tr{break-inside:avoid}h2{break-after:avoid}}

      """
}
