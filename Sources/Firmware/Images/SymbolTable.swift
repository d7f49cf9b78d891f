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
