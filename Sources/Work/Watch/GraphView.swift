/// Which part of the graph is looked at.
package struct GraphView: Hashable, Sendable {
  /// How many seconds before the youngest sample it ends; 0 follows.
  package var back = 0.0
  /// How many times as high as needed the scale is enlarged, and by how many shares of its height it is moved up.
  package var zoom = 1.0, rise = 0.0
  /// Whether it has the whole screen.
  package var isFull = false

  /// Creates the view that follows, as high as needed.
  package init() {}

  /// Does what a key means for a graph of so many seconds; whether the key is one of the graph's.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - scale: the seconds that the graph shows.
  ///   - past: the seconds that there are.
  /// - Returns: whether it is one.
  package mutating func press(_ key: Character, scale: Double, past: Double) -> Bool {
    switch key {
    case "<": back = min(back + scale / 4, max(past - scale, 0))
    case ">": back = max(back - scale / 4, 0)
    case "k": rise += 0.25 / zoom
    case "j": rise -= 0.25 / zoom
    case "+": zoom = min(zoom * 2, 64)
    case "-": zoom = max(zoom / 2, 0.25)
    case "0": (back, zoom, rise) = (0, 1, 0)
    case "f": isFull.toggle()
    default: return false
    }
    return true
  }

  /// The ends of the scale, of those that show everything.
  package func ends(_ bottom: Double, _ top: Double) -> (bottom: Double, top: Double) {
    let half = (top - bottom) / 2
    let middle = (top + bottom) / 2 + 2 * half * rise
    return (middle - half / zoom, middle + half / zoom)
  }
}
