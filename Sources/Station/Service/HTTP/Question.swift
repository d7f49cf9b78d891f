/// What a client asks for: a path and parameters, read from the request's line and nothing else.
package struct Question: Sendable {
  /// The longest path and query together, in bytes.
  package static let longest = 2048

  /// The path, decoded.
  package let path: String
  /// The parameters, decoded, in order.
  package let parameters: [(name: String, value: String)]

  /// Reads a request's target; `nil` for one that is too long, or encoded wrongly.
  package init?(target: String) {
    guard target.utf8.count <= Self.longest, target.hasPrefix("/") else { return nil }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = Self.decoded(parts[0], plus: false) else { return nil }
    self.path = path
    var parameters: [(name: String, value: String)] = []
    if parts.count == 2 {
      for pair in parts[1].split(separator: "&") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = Self.decoded(sides[0], plus: true),
          let value = Self.decoded(sides.count == 2 ? sides[1] : "", plus: true)
        else { return nil }
        parameters.append((name, value))
        guard parameters.count <= 40 else { return nil }
      }
    }
    self.parameters = parameters
  }

  private static func decoded(_ text: Substring, plus: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plus: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }

  /// The last value of a parameter, whatever the case of its name; `nil` where it is missing or empty.
  package func value(_ name: String) -> String? {
    let wanted = name.lowercased()
    let found = parameters.last { $0.name.lowercased() == wanted }?.value
    return found?.isEmpty == true ? nil : found
  }

  /// The parameters that are lists, which may come in parts.
  private static let lists = ["hourly", "daily", "current"]

  /// A parameter that is given more than once, in any case; `nil` where each is given once.
  var repeated: String? {
    var seen: Set<String> = []
    return parameters.first {
      let name = $0.name.lowercased()
      return !Self.lists.contains($0.name) && !seen.insert(name).inserted
    }?.name
  }

  /// A parameter, but a list, that is given without a value; `nil` where each has one.
  var empty: String? {
    parameters.first { $0.value.isEmpty && !Self.lists.contains($0.name) }?.name
  }

  /// The refusal of a parameter that is none of those known, in any case; `nil` where all are.
  func stranger(beside known: [String]) -> Refusal? {
    let names = known.map { $0.lowercased() }
    let unknown = parameters.first { !names.contains($0.name.lowercased()) }
    return unknown.map {
      Refusal(
        status: 400, code: "unknown_parameter",
        message: "the parameter \(Refusal.quoted($0.name)) is not known; "
          + (known.isEmpty
            ? "there are none here" : "known are \(known.joined(separator: ", "))"))
    }
  }

  /// The words of all parameters of a name, which commas part.
  func words(_ name: String) -> [String] {
    parameters.filter { $0.name == name }
      .flatMap { $0.value.split(separator: ",").map(String.init) }
  }

  /// A decimal number: digits, a point, a sign, an exponent as programs write it; no words such as `nan`.
  static func decimal(_ text: String) -> Double? {
    guard text.utf8.count <= 24,
      text.utf8.allSatisfy({
        (48...57).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E")
      }), let number = Double(text), number.isFinite
    else { return nil }
    return number
  }

  /// A whole number.
  static func whole(_ text: String) -> Int? {
    guard text.utf8.count <= 18,
      text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: "-") })
    else { return nil }
    return Int(text)
  }
}
