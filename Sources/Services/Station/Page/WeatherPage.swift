/// The weather page, which is one self-contained HTML document.
///
/// The page is assembled from small files of HTML, CSS and JavaScript in `Parts`, which are
/// embedded in the program. `page.html` refers to them as in a normal page, so the folder can also
/// be opened directly during development. In the document the parts are inlined: all styles in one
/// element, and all scripts in one.
public struct WeatherPage: Sendable {
  /// The HTML document.
  public let html: String
  /// The text of the document's only `style` element.
  public let style: String
  /// The text of the document's only `script` element.
  public let script: String
  /// The service worker script, which caches the document for offline use.
  public let worker: String

  /// The page, which is assembled from its parts only once.
  public static let joined = WeatherPage(
    frame: text(PackageResources.page_html), sheets: PageParts.sheets, scripts: PageParts.scripts,
    worker: text(PackageResources.worker_js))

  /// Assembles the document from a frame and the parts that the frame refers to, in the frame's
  /// order.
  ///
  /// A reference to a missing part is a programming error and traps.
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

  /// Returns the content security policy of the document, which allows its own style and script by
  /// digest, and requests to its own server.
  ///
  /// - Parameter sha256Base64: The function that returns the SHA-256 digest of a text's UTF-8 bytes
  ///   in base64.
  /// - Returns: The value of the `Content-Security-Policy` header.
  public func contentSecurityPolicy(sha256Base64: (String) -> String) -> String {
    [
      "default-src 'none'", "script-src 'sha256-\(sha256Base64(script))'",
      "style-src 'sha256-\(sha256Base64(style))'", "connect-src 'self'", "worker-src 'self'",
      "manifest-src 'self'", "img-src 'self' data:", "base-uri 'none'", "form-action 'none'",
      "frame-ancestors 'none'",
    ].joined(separator: "; ")
  }

  /// An icon of the page where a phone has installed it: a gauge.
  public struct Icon: Sendable {
    /// The path, the media type, and the size as in a manifest.
    public let path: String, type: String, sizes: String
    /// The image.
    public let bytes: [UInt8]
  }

  /// The icons, those for a manifest first.
  public static let icons = [
    Icon(path: "/icon.svg", type: "image/svg+xml", sizes: "any", bytes: Array(drawing.utf8)),
    Icon(
      path: "/icon-192.png", type: "image/png", sizes: "192x192",
      bytes: PackageResources.icon_192_png),
    Icon(
      path: "/icon-512.png", type: "image/png", sizes: "512x512",
      bytes: PackageResources.icon_512_png),
    Icon(
      path: "/icon-180.png", type: "image/png", sizes: "180x180",
      bytes: PackageResources.icon_180_png),
  ]

  private static let drawing = """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="#1f5591"/>\
    <path d="M27.2 60 21.2 63.5M24.4 43.8 17.5 42.6M32.6 29.6 28.1 24.3M48 24V17M63.4 29.6 67.9 24.3M71.6 43.8 78.5 42.6M68.8 60 \
    74.8 63.5" stroke="#fff" stroke-width="2.4"/><path d="M48 48 61.5 31.9" stroke="#fff" stroke-width="5" \
    stroke-linecap="round"/><circle cx="48" cy="48" r="7" fill="#f6b73c"/></svg>
    """

  /// Returns the text of a line between a prefix and the next quotation mark.
  private static func name(in line: Substring, after beginning: String) -> String? {
    guard line.hasPrefix(beginning) else { return nil }
    return line.dropFirst(beginning.count).split(separator: "\"").first.map(String.init)
  }

  /// Returns an embedded part as text.
  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// The embedded parts of the page, by the paths with which `page.html` refers to them.
enum PageParts {
  /// The style sheets.
  static let sheets: [String: String] = [
    "style/tokens.css": WeatherPage.text(PackageResources.tokens_css),
    "style/sky.css": WeatherPage.text(PackageResources.sky_css),
    "style/frame.css": WeatherPage.text(PackageResources.frame_css),
    "style/controls.css": WeatherPage.text(PackageResources.controls_css),
    "style/weather.css": WeatherPage.text(PackageResources.weather_css),
    "style/station.css": WeatherPage.text(PackageResources.station_css),
  ]

  static let scripts: [String: String] = [
    "text/english.js": WeatherPage.text(PackageResources.english_js),
    "text/portuguese.js": WeatherPage.text(PackageResources.portuguese_js),
    "text/barometer.js": WeatherPage.text(PackageResources.barometer_js),
    "text/gazetteer.js": WeatherPage.text(PackageResources.gazetteer_js),
    "script/dom.js": WeatherPage.text(PackageResources.dom_js),
    "script/language.js": WeatherPage.text(PackageResources.language_js),
    "script/time.js": WeatherPage.text(PackageResources.time_js),
    "script/units.js": WeatherPage.text(PackageResources.units_js),
    "script/weather.js": WeatherPage.text(PackageResources.weather_js),
    "script/icons.js": WeatherPage.text(PackageResources.icons_js),
    "script/store.js": WeatherPage.text(PackageResources.store_js),
    "script/place.js": WeatherPage.text(PackageResources.place_js),
    "script/search.js": WeatherPage.text(PackageResources.search_js),
    "script/metrics.js": WeatherPage.text(PackageResources.metrics_js),
    "script/forecast.js": WeatherPage.text(PackageResources.forecast_js),
    "script/service.js": WeatherPage.text(PackageResources.service_js),
    "script/state.js": WeatherPage.text(PackageResources.state_js),
    "script/scene.js": WeatherPage.text(PackageResources.scene_js),
    "script/curve.js": WeatherPage.text(PackageResources.curve_js),
    "script/strip.js": WeatherPage.text(PackageResources.strip_js),
    "script/present.js": WeatherPage.text(PackageResources.present_js),
    "script/outlook.js": WeatherPage.text(PackageResources.outlook_js),
    "script/station.js": WeatherPage.text(PackageResources.station_js),
    "script/correction.js": WeatherPage.text(PackageResources.correction_js),
    "script/menu.js": WeatherPage.text(PackageResources.menu_js),
    "script/search-box.js": WeatherPage.text(PackageResources.search_box_js),
    "script/favourites.js": WeatherPage.text(PackageResources.favourites_js),
    "script/choices.js": WeatherPage.text(PackageResources.choices_js),
    "script/locate.js": WeatherPage.text(PackageResources.locate_js),
    "script/map.js": WeatherPage.text(PackageResources.map_js),
    "script/share.js": WeatherPage.text(PackageResources.share_js),
    "script/live.js": WeatherPage.text(PackageResources.live_js),
    "script/asking.js": WeatherPage.text(PackageResources.asking_js),
    "script/start.js": WeatherPage.text(PackageResources.start_js),
  ]
}
