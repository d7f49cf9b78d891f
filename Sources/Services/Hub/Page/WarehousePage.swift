/// The hub's web page, which is one self-contained HTML document.
package struct WarehousePage: Sendable {
  /// The HTML document.
  package let html: String
  private let style: String
  private let script: String

  /// The page, which is assembled from its parts only once.
  package static let joined = WarehousePage(
    frame: text(PackageResources.hub_html), style: text(PackageResources.hub_css),
    script: [
      PackageResources.words_js, PackageResources.plan_js, PackageResources.table_js,
      PackageResources.hub_js,
      PackageResources.history_js,
    ].map(text).joined(separator: "\n"))

  private init(frame: String, style: String, script: String) {
    (self.style, self.script) = ("\n" + style, "\n" + script)
    var lines: [Substring] = []
    for line in frame.split(separator: "\n", omittingEmptySubsequences: false) {
      // During development a browser opens the folder directly; in the document, the parts are
      // inlined instead.
      if line.hasPrefix("<link rel=\"stylesheet\"") || line.hasPrefix("<script src=") { continue }
      if line == "</head>" { lines.append("<style>\(self.style)</style>") }
      if line == "</body>" { lines.append("<script>\(self.script)</script>") }
      lines.append(line)
    }
    html = lines.joined(separator: "\n")
  }

  /// The web app manifest, with which phones install the page, for a hub of this name.
  ///
  /// - Parameter hub: The name of the hub, which has only letters, digits, `-` and `_`.
  /// - Returns: The manifest in JSON.
  package static func manifest(hub: String) -> String {
    """
    {"name":"Warehouse \(hub)","short_name":"\(hub)","start_url":"/","display":"standalone","background_color":"#f6f7f8",\
    "theme_color":"#1b1f24","icons":[{"src":"/icon.svg","type":"image/svg+xml","sizes":"any","purpose":"any maskable"}]}
    """
  }

  /// The icon of the page, as SVG: a shelf with the marks of a tag that is well and one with an alarm.
  package static let icon = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="#1b1f24"/>\
    <path d="M20 38H76M20 68H76" stroke="#e9edf1" stroke-width="4"/><circle cx="36" cy="27" r="8" fill="#5af79b"/>\
    <rect x="53" y="49" width="15" height="15" fill="#f46249"/></svg>
    """

  /// Returns the content security policy, which allows the page's own style and script by digest,
  /// and requests to its own server.
  package func contentSecurityPolicy(_ sha256Base64: (String) -> String) -> String {
    [
      "default-src 'none'", "script-src 'sha256-\(sha256Base64(script))'",
      "style-src 'sha256-\(sha256Base64(style))'", "connect-src 'self'", "manifest-src 'self'",
      "img-src 'self'",
      "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
