/// Where the bytes of a serial port go.
package struct SerialRoute: Hashable, Sendable {
  /// A place for bytes.
  package enum Place: Hashable, Sendable {
    /// Standard output.
    case standardOutput
    /// A terminal of its own, whose name is told; what is typed there goes to the port.
    case terminal
    /// A file.
    case file(String)
    /// Nowhere.
    case none
  }

  /// The number with which the port's name ends, or its name.
  package let port: String
  /// Where its bytes go.
  package let place: Place

  /// Reads `N=stdout`, `N=pty`, `N=none` or `N=FILE`; `nil` for something else, also for
  /// `stdin`, `stderr` and `tty`, which are meant as no files: write `./stdin` for such a file.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
    port = String(text[..<equals])
    switch text[text.index(after: equals)...] {
    // Names of streams that take no bytes of a port are no names of files.
    case "", "stdin", "stderr", "tty": return nil
    case "stdout", "-": place = .standardOutput
    case "pty": place = .terminal
    case "none": place = .none
    case let file: place = .file(String(file))
    }
  }
}
