/// Where places stand on a drawing of a given width, and how much room their names have.
struct PlanLayout {
  /// The width of the drawing.
  static let width = 520.0
  /// Around the outermost places: room for names and circles.
  private static let (side, top, bottom) = (66.0, 34.0, 66.0)

  private let origin: (x: Double, y: Double)
  private let start, scale: Double
  /// The places on the drawing.
  private let points: [(x: Double, y: Double)]
  /// The height of the drawing.
  let height: Double

  /// Creates it for places in metres; both directions have one scale, so that the plan keeps its proportions.
  init(_ places: [(x: Double, y: Double)]) {
    let (xs, ys) = (places.map(\.x), places.map(\.y))
    let origin = (x: xs.min() ?? 0, y: ys.min() ?? 0)
    let (wide, high) = ((xs.max() ?? 0) - origin.x, (ys.max() ?? 0) - origin.y)
    let room = Self.width - 2 * Self.side
    let scales = [wide > 0 ? room / wide : nil, high > 0 ? 480 / high : nil].compactMap(\.self)
    let scale = scales.min() ?? 1
    let start = Self.side + (room - wide * scale) / 2
    (self.origin, self.scale, self.start) = (origin, scale, start)
    height = Self.top + high * scale + Self.bottom
    points = places.map { place in
      (start + (place.x - origin.x) * scale, Self.top + (place.y - origin.y) * scale)
    }
  }

  /// A place on the drawing.
  func point(_ place: (x: Double, y: Double)) -> (x: Double, y: Double) {
    (start + (place.x - origin.x) * scale, Self.top + (place.y - origin.y) * scale)
  }

  /// How many letters of a name fit between a point and what is beside it.
  func letters(beside point: (x: Double, y: Double)) -> Int {
    let beside = points.filter { abs($0.y - point.y) < 70 && $0.x != point.x }
      .map { abs($0.x - point.x) }
    return max(3, Int(min(beside.min() ?? .infinity, 2 * Self.side) / 7.5))
  }

  /// A name on one line or on two; what does not fit ends in an ellipsis.
  static func lines(_ name: String, _ letters: Int) -> [String] {
    func clipped(_ text: String) -> String {
      text.count <= letters ? text : String(text.prefix(max(1, letters - 1))) + "…"
    }
    guard name.count > letters else { return [name] }
    // The last break at which the first line still fits.
    let breaks = name.indices.filter { " -_".contains(name[$0]) }
    let fitting = breaks.last { name.distance(from: name.startIndex, to: $0) < letters }
    guard let fitting else {
      let rest = String(name.dropFirst(letters))
      return [String(name.prefix(letters)), clipped(rest)]
    }
    let first = name[fitting] == " " ? name[..<fitting] : name[...fitting]
    return [String(first), clipped(String(name[name.index(after: fitting)...]))]
  }
}
