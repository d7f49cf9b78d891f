/// How a report looks: light and dark, on a screen of any width and on paper.
enum PageStyle {
  /// The colours.
  private static let colours = """
    :root{--paper:#fff;--ink:#1b2430;--soft:#566273;--line:#d8dee6;--card:#f6f8fa;--ok:#166534;--bad:#b42318;\
    --warn:#92580a;--s0:#0b5cad;--s1:#b45309;--s2:#166534;--s3:#7c3aed;--good:#16653426;--rain:#0b5cad22;\
    --storm:#b4231830;--rise:#92580a26;--calm:#56627312}
    @media (prefers-color-scheme:dark){:root{--paper:#11161d;--ink:#e6ebf2;--soft:#9aa7b8;--line:#2b3542;\
    --card:#18202a;--ok:#4ade80;--bad:#ff8a80;--warn:#fbbf24;--s0:#6cb6ff;--s1:#ffb366;--s2:#6ee7a0;--s3:#c4a5ff;\
    --good:#4ade8022;--rain:#6cb6ff22;--storm:#ff8a8033;--rise:#fbbf2422;--calm:#9aa7b812}}
    @media print{:root{--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--card:#fff;--ok:#0b4a22;--bad:#8a1410;\
    --s0:#0b4a8a;--s1:#8a3f05;--s2:#0b4a22;--s3:#5b21b6}}

    """

  /// The pictures alone.
  static let plots =
    colours + """
      .plot{background:var(--paper);font-family:system-ui,sans-serif}
      .plot .grid{stroke:var(--line);stroke-width:1}.plot .axis{stroke:var(--soft);stroke-width:1}
      .plot text{fill:var(--soft);font-size:12px}.plot .legend{fill:var(--ink)}
      .plot .line{fill:none;stroke-width:1.8;stroke-linejoin:round}
      .plot .s0{stroke:var(--s0)}.plot .s1{stroke:var(--s1);stroke-dasharray:6 4}
      .plot .s2{stroke:var(--s2);stroke-dasharray:2 3}.plot .s3{stroke:var(--s3);stroke-dasharray:9 3 2 3}
      .plot .band{fill:var(--calm)}.plot .band.goodWeather{fill:var(--good)}.plot .band.rainy{fill:var(--rain)}
      .plot .band.thunderStorm,.plot .band.leak{fill:var(--storm)}.plot .band.notStable{fill:var(--rise)}
      .plot .mark line{stroke:var(--bad);stroke-width:1.4;stroke-dasharray:3 3}

      """

  /// The whole page.
  static let page =
    plots + """
      *{box-sizing:border-box}
      body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
      main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
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
      figure{margin:1rem 0 1.6rem}figcaption{font-weight:600;margin-bottom:.3rem}
      figure .plot{width:100%;height:auto;display:block;border:1px solid var(--line);border-radius:.6rem;padding:.4rem}
      pre{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.8rem;overflow-x:auto;\
      font:13px/1.45 ui-monospace,monospace}
      .key{display:inline-block;width:.9em;height:.9em;border-radius:.2em;border:1px solid var(--line);\
      vertical-align:-.1em;margin-right:.35em}
      .key.goodWeather{background:var(--good)}.key.rainy{background:var(--rain)}.key.stable{background:var(--calm)}
      .key.thunderStorm,.key.leak{background:var(--storm)}.key.notStable{background:var(--rise)}
      .keys span{margin-right:1.1em;white-space:nowrap}
      footer{margin-top:3rem;color:var(--soft);font-size:.9rem}
      @media(max-width:30rem){h1{font-size:1.5rem}dl{grid-template-columns:1fr;gap:0}dt{margin-top:.4rem}\
      .plot text{font-size:20px}}
      @media print{main{max-width:none}figure,pre,tr{break-inside:avoid}h2,.keys{break-after:avoid}}

      """
}
