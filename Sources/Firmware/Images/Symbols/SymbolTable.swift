import Text

/// The functions and objects of a program, found by address or by name.
package struct SymbolTable: Sendable {
  /// The functions and labels, by address; of several at one address the one that says most.
  package let functions: [Symbol]
  /// The variables and constants, by address.
  package let objects: [Symbol]

  /// Creates a table of symbols in any order.
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

  /// The function in which an address lies: the last that begins at or before it, and reaches there.
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

  /// An address as people read it: `main+0x12`, or the number where no function is known.
  package func place(_ address: UInt32) -> String {
    let number = "0x" + String(address, radix: 16)
    guard let function = function(at: address) else { return number }
    let offset = address - function.address
    return "\(function.name)\(offset == 0 ? "" : "+0x" + String(offset, radix: 16)) (\(number))"
  }

  /// The variable or constant in which an address lies.
  package func object(at address: UInt32) -> Symbol? {
    objects.last { $0.address <= address && address - $0.address < max($0.size, 1) }
  }

  /// The symbol of a name.
  package func named(_ name: String) -> Symbol? {
    functions.first { $0.name == name } ?? objects.first { $0.name == name }
  }
}
