import Support

/// The functions and objects of a program, by address and by name.
package struct SymbolTable: Sendable {
  /// Functions and labels, sorted by address; of several at the same address, only the most informative is kept.
  package let functions: [Symbol]
  /// Variables and constants, sorted by address.
  package let objects: [Symbol]

  /// Creates a table from symbols in any order.
  package init(_ symbols: [Symbol]) {
    var functions: [Symbol] = []
    let sorted = symbols.filter { $0.kind != .object }.inOrder {
      ($0.address, Self.rank($0), $0.name) < ($1.address, Self.rank($1), $1.name)
    }
    for symbol in sorted where symbol.address != functions.last?.address {
      functions.append(symbol)
    }
    self.functions = functions
    objects = symbols.filter { $0.kind == .object }.inOrder {
      ($0.address, $0.name) < ($1.address, $1.name)
    }
  }

  private static func rank(_ symbol: Symbol) -> Int {
    (symbol.kind == .label ? 4 : symbol.size == 0 ? 2 : 0) + (symbol.isWeak ? 1 : 0)
  }

  /// Returns the function that contains an address; `nil` if no function does.
  package func function(at address: UInt32) -> Symbol? {
    var (low, high) = (0, functions.count)
    while low < high {
      let middle = (low + high) / 2
      if functions[middle].address <= address { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let found = functions[low - 1]
    return found.size == 0 || address - found.address < found.size ? found : nil
  }

  /// Returns an address as `main+0x12`, or as a number if no function contains it.
  package func location(_ address: UInt32) -> String {
    let number = "0x" + String(address, radix: 16)
    guard let function = function(at: address) else { return number }
    let offset = address - function.address
    return "\(function.name)\(offset == 0 ? "" : "+0x" + String(offset, radix: 16)) (\(number))"
  }

  /// Returns the variable or constant that contains an address.
  package func object(at address: UInt32) -> Symbol? {
    objects.last { $0.address <= address && address - $0.address < max($0.size, 1) }
  }

  /// Returns the symbol with a name.
  package func named(_ name: String) -> Symbol? {
    functions.first { $0.name == name } ?? objects.first { $0.name == name }
  }
}

/// A named address of a program.
package struct Symbol: Hashable, Sendable {
  /// The kind of a symbol.
  package enum Kind: Sendable {
    case function
    /// A variable or a constant.
    case object
    /// A location in code whose kind is unknown.
    case label
  }

  /// The name, safe to print.
  package let name: String
  /// The kind of the symbol.
  package let kind: Kind
  /// The first address, without the Thumb bit; for an AVR a byte address in flash or data space.
  package let address: UInt32
  /// The size in bytes; 0 if unknown.
  package let size: UInt32
  /// `true` if the symbol is weak.
  package let isWeak: Bool

  package init(name: String, kind: Kind, address: UInt32, size: UInt32, isWeak: Bool = false) {
    self.name = name
    self.kind = kind
    self.address = address
    self.size = size
    self.isWeak = isWeak
  }
}

/// A demangler for C++ names and for Rust names in the legacy scheme (Itanium C++ ABI, chapter 5.1).
///
/// Parameters are omitted and template arguments are replaced with `<...>`, because the result identifies a location in
/// code, not a type.
package struct ItaniumName {
  private let bytes: [UInt8]
  private var index: Int

  private init(_ text: Substring) {
    bytes = Array(text.utf8)
    index = 0
  }

  /// Returns the demangled name; `nil` if the name is not mangled this way, or uses unsupported features.
  package static func readable(_ mangled: String) -> String? {
    guard mangled.hasPrefix("_Z") else { return nil }
    // Compilers add suffixes such as .part.0 and .constprop.1 to split or cloned functions.
    let dot = mangled.firstIndex(of: ".") ?? mangled.endIndex
    var name = ItaniumName(mangled[..<dot].dropFirst(2))
    guard let text = name.specialName() ?? name.name() else { return nil }
    return text + mangled[dot...]
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func take(_ text: StaticString) -> Bool {
    let end = index + text.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    for offset in 0..<text.utf8CodeUnitCount where bytes[index + offset] != text.utf8Start[offset] {
      return false
    }
    index = end
    return true
  }

  /// Parses the name of a virtual table, type information or guard variable.
  private mutating func specialName() -> String? {
    let kinds: [(StaticString, String)] = [
      ("TV", "vtable for "), ("TI", "typeinfo for "), ("TS", "typeinfo name for "),
      ("GV", "guard variable for "),
    ]
    for (code, words) in kinds where take(code) { return name().map { words + $0 } }
    return nil
  }

  private mutating func name() -> String? {
    if take("N") { return nested() }
    _ = take("L")
    let prefix = take("St") ? "std::" : ""
    guard let part = component(of: nil) else { return nil }
    return prefix + part + (arguments() ?? "")
  }

  /// Parses the components of a nested name up to its E.
  private mutating func nested() -> String? {
    while take("r") || take("V") || take("K") || take("R") || take("O") {}
    var parts: [String] = []
    while !take("E") {
      if parts.isEmpty, take("St") {
        parts.append("std")
      } else if next == UInt8(ascii: "I") {
        guard let text = arguments(), let last = parts.popLast() else { return nil }
        parts.append(last + text)
      } else {
        _ = take("L")
        guard let part = component(of: parts.last) else { return nil }
        parts.append(part)
      }
    }
    // Rust paths end with a hash.
    if parts.count > 1, let last = parts.last, last.utf8.count == 17, last.hasPrefix("h"),
      last.dropFirst().allSatisfy(\.isHexDigit)
    {
      parts.removeLast()
    }
    return parts.isEmpty ? nil : parts.joined(separator: "::")
  }

  /// Parses an identifier, a constructor or destructor, or an operator.
  private mutating func component(of owner: String?) -> String? {
    if let number = number() {
      guard number > 0, index + number <= bytes.count else { return nil }
      defer { index += number }
      let text = String(decoding: bytes[index..<index + number], as: UTF8.self)
      return text.hasPrefix("_GLOBAL__N") ? "(anonymous namespace)" : text
    }
    if let owner {
      let plain = String(owner.prefix { $0 != "<" })
      for code in ["C1", "C2", "C3"] as [StaticString] where take(code) { return plain }
      for code in ["D0", "D1", "D2"] as [StaticString] where take(code) { return "~" + plain }
    }
    for (code, symbol) in Self.operators where take(code) { return "operator" + symbol }
    return nil
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let digit = next, (48...57).contains(digit), value ?? 0 < 100_000 {
      value = (value ?? 0) * 10 + Int(digit - 48)
      index += 1
    }
    return value
  }

  /// Skips template arguments.
  private mutating func arguments() -> String? {
    guard take("I") else { return nil }
    var depth = 1
    while depth > 0 {
      guard let byte = next else { return nil }
      if (49...57).contains(byte) {
        guard component(of: nil) != nil else { return nil }
        continue
      }
      index += 1
      switch byte {
      case UInt8(ascii: "E"): depth -= 1
      case UInt8(ascii: "I"), UInt8(ascii: "N"), UInt8(ascii: "F"), UInt8(ascii: "J"),
        UInt8(ascii: "X"):
        depth += 1
      case UInt8(ascii: "L"):
        // Only literals of built-in types are supported.
        guard let type = next, (97...122).contains(type) else { return nil }
        while let byte = next, byte != UInt8(ascii: "E") { index += 1 }
        index += 1
      case UInt8(ascii: "S") where next.map { $0 == 95 || $0 < 97 } ?? true,
        UInt8(ascii: "T"), UInt8(ascii: "A"):
        // Substitutions, parameters and array lengths end with an underscore.
        while let byte = next, byte != 95 { index += 1 }
        index += 1
      case UInt8(ascii: "S"), UInt8(ascii: "D"): index += 1
      default: break
      }
    }
    return "<...>"
  }

  private static let operators: [(StaticString, String)] = [
    ("nw", " new"), ("na", " new[]"), ("dl", " delete"), ("da", " delete[]"), ("pl", "+"),
    ("mi", "-"), ("ml", "*"), ("dv", "/"), ("rm", "%"), ("an", "&"), ("or", "|"), ("eo", "^"),
    ("aS", "="), ("pL", "+="), ("mI", "-="), ("mL", "*="), ("dV", "/="), ("ls", "<<"),
    ("rs", ">>"), ("eq", "=="), ("ne", "!="), ("lt", "<"), ("gt", ">"), ("le", "<="),
    ("ge", ">="), ("nt", "!"), ("aa", "&&"), ("oo", "||"), ("pp", "++"), ("mm", "--"),
    ("cl", "()"), ("ix", "[]"), ("pt", "->"), ("ps", "+"), ("ng", "-"), ("de", "*"), ("ad", "&"),
  ]
}
