/// The weather page: one HTML document that asks nothing of any other server.
///
/// Its parts lie as small files of HTML, CSS and JavaScript in `Parts`, embedded in the program. `page.html` names them
/// where a browser would load them, so that the folder can also be opened as it is while one works on it; here each
/// style sheet and each script is put in their place, all styles as one and all scripts as one.
public struct WeatherPage: Sendable {
  /// The document.
  public let html: String
  /// The text inside the document's only `style`.
  public let style: String
  /// The text inside the document's only `script`.
  public let script: String
  /// The service worker, a script of its own, that keeps the document for times without a network.
  public let worker: String

  /// The page, joined from its parts once.
  public static let joined = WeatherPage(
    frame: text(PackageResources.page_html), sheets: PageParts.sheets, scripts: PageParts.scripts,
    worker: text(PackageResources.worker_js))

  /// Joins a frame with the parts that it names, in its order.
  ///
  /// A name that is not among the parts traps: it is a mistake in this package, found by the first test.
  init(frame: String, sheets: [String: String], scripts: [String: String], worker: String) {
    var body: [Substring] = []
    var styles: [String] = []
    var programs: [String] = []
    for line in frame.split(separator: "\n", omittingEmptySubsequences: false) {
      if let name = Self.name(in: line, after: "<link rel=\"stylesheet\" href=\"") {
        guard let sheet = sheets[name] else { preconditionFailure("there is no part \(name)") }
        styles.append(sheet)
      } else if let name = Self.name(in: line, after: "<script src=\"") {
        guard let script = scripts[name] else { preconditionFailure("there is no part \(name)") }
        programs.append(script)
      } else {
        if line == "</head>" { body.append("<style></style>") }
        if line == "</body>" { body.append("<script></script>") }
        body.append(line)
      }
    }
    let style = "\n" + styles.joined(separator: "\n")
    let script = "\n" + programs.joined(separator: "\n")
    (self.style, self.script, self.worker) = (style, script, worker)
    html = body.map { line in
      switch line {
      case "<style></style>": "<style>\(style)</style>"
      case "<script></script>": "<script>\(script)</script>"
      default: String(line)
      }
    }.joined(separator: "\n")
  }

  /// The content security policy under which the document works: its own style and script by their digests, requests to
  /// its own server, and nothing else.
  ///
  /// - Parameter sha256Base64: the SHA-256 of a text's UTF-8, in base64.
  /// - Returns: the value of the header `Content-Security-Policy`.
  public func contentSecurityPolicy(sha256Base64: (String) -> String) -> String {
    [
      "default-src 'none'", "script-src 'sha256-\(sha256Base64(script))'",
      "style-src 'sha256-\(sha256Base64(style))'", "connect-src 'self'", "worker-src 'self'",
      "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
  }

  /// What a line names between a beginning and the next quotation mark.
  private static func name(in line: Substring, after beginning: String) -> String? {
    guard line.hasPrefix(beginning) else { return nil }
    return line.dropFirst(beginning.count).split(separator: "\"").first.map(String.init)
  }

  /// A part's text.
  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
