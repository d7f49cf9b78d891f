/// Words and signs of a page, where a terminal has plainer ones.
enum PageText {
  /// A sentence with the signs of print: ±, °C and m³.
  static func typeset(_ text: String) -> String {
    text.replacing("+-", with: "±").replacing(/(?<number>\d) C\b/) { "\($0.number) °C" }
      .replacing(/\bm3\b/, with: "m³")
  }

  /// A name as words: `goodWeather` is "good weather".
  static func words(_ name: String) -> String {
    name.reduce(into: "") { words, letter in
      words += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
    }
  }
}
