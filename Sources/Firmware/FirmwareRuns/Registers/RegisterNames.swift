package import Files
import Text

/// The names of registers, from a CMSIS-SVD file.
///
/// Only what names need is read: peripherals with their base addresses, registers and clusters with their offsets, arrays
/// of them, and peripherals that are derived from others.
package struct RegisterNames: Sendable {
  /// The names by address.
  private var names: [UInt32: String] = [:]

  /// Reads a file.
  ///
  /// - Throws: `Failure` when it cannot be read, or holds no peripheral.
  package init(path: String) throws(Failure) {
    try self.init(TextFile.read(path), path: path)
  }

  /// Reads the text of a file.
  ///
  /// - Throws: `Failure` when it holds no peripheral.
  package init(_ text: String, path: String) throws(Failure) {
    guard let root = XMLElement(reading: text) else {
      throw Failure(.badContent, "\(path): it is not XML with all its elements closed")
    }
    let peripherals = root.all("peripherals").flatMap { $0.all("peripheral") }
    guard !peripherals.isEmpty else {
      throw Failure(.badContent, "\(path): it is not CMSIS-SVD: there is no peripheral in it")
    }
    for peripheral in peripherals {
      guard let base = peripheral.number("baseAddress"), let name = peripheral.text("name") else {
        continue
      }
      var source = peripheral
      if let origin = peripheral.attributes["derivedFrom"], peripheral.first("registers") == nil {
        source = peripherals.first { $0.text("name") == origin } ?? peripheral
      }
      if let registers = source.first("registers") { add(registers, base, name + ".", depth: 0) }
    }
  }

  /// The name of the register at an address, such as `UARTE0.PSEL.TXD`.
  package func name(at address: UInt32) -> String? {
    names[address] ?? names[address & ~3]
  }

  private mutating func add(_ list: XMLElement, _ base: UInt32, _ prefix: String, depth: Int) {
    guard depth < 4 else { return }
    for item in list.children where item.name == "register" || item.name == "cluster" {
      guard let offset = item.number("addressOffset"), let name = item.text("name") else {
        continue
      }
      let count = min(item.number("dim") ?? 1, 1024)
      let step = item.number("dimIncrement") ?? 0
      for index in 0..<count {
        let address = base &+ offset &+ index &* step
        let full = prefix + name.replacing("%s", with: "\(index)")
        if item.name == "cluster" {
          add(item, address, full + ".", depth: depth + 1)
        } else if names[address] == nil {
          names[address] = full.visible
        }
      }
    }
  }
}

extension XMLElement {
  /// A number of C in a child: decimal, hexadecimal with 0x, or binary with #.
  fileprivate func number(_ name: String) -> UInt32? {
    guard let text = text(name)?.lowercased() else { return nil }
    if text.hasPrefix("0x") { return UInt32(text.dropFirst(2), radix: 16) }
    if text.hasPrefix("#") { return UInt32(text.dropFirst(), radix: 2) }
    return UInt32(text)
  }
}
