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
      PackageResources.plan_js, PackageResources.table_js, PackageResources.hub_js,
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

  /// Returns the content security policy, which allows the page's own style and script by digest,
  /// and requests to its own server.
  package func contentSecurityPolicy(_ sha256Base64: (String) -> String) -> String {
    [
      "default-src 'none'", "script-src 'sha256-\(sha256Base64(script))'",
      "style-src 'sha256-\(sha256Base64(style))'", "connect-src 'self'", "img-src data:",
      "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
