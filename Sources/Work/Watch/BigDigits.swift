/// Numbers and a few words three lines high, of block characters.
package enum BigDigits {
  private static let shapes: [Character: [String]] = [
    "0": ["█▀█", "█ █", "▀▀▀"], "1": ["▀█ ", " █ ", "▀▀▀"], "2": ["▀▀█", "█▀▀", "▀▀▀"],
    "3": ["▀▀█", " ▀█", "▀▀▀"], "4": ["█ █", "▀▀█", "  ▀"], "5": ["█▀▀", "▀▀█", "▀▀▀"],
    "6": ["█▀▀", "█▀█", "▀▀▀"], "7": ["▀▀█", "  █", "  ▀"], "8": ["█▀█", "█▀█", "▀▀▀"],
    "9": ["█▀█", "▀▀█", "▀▀▀"], ".": [" ", " ", "▀"], "-": ["   ", "▀▀▀", "   "],
    "+": [" ▄ ", "▀█▀", "   "], " ": ["  ", "  ", "  "],
    "S": ["█▀▀", "▀▀█", "▀▀▀"], "A": ["█▀█", "█▀█", "▀ ▀"], "F": ["█▀▀", "█▀▀", "▀  "],
    "E": ["█▀▀", "█▀▀", "▀▀▀"], "H": ["█ █", "█▀█", "▀ ▀"], "V": ["█ █", "█ █", " ▀ "],
    "N": ["█▄ █", "█ ▀█", "▀  ▀"], "m": ["▄▄ ▄▄", "█ █ █", "▀ ▀ ▀"], "i": ["▀", "█", "▀"],
    "n": ["▄▄▄", "█ █", "▀ ▀"],
  ]

  /// The three lines of a number, or of words whose letters there are.
  package static func lines(_ number: String) -> [String] {
    (0..<3).map { row in
      number.compactMap { shapes[$0]?[row] }.joined(separator: " ")
    }
  }
}
