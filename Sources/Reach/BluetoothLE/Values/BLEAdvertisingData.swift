/// What an advertisement or a scan response says: elements of a type and some bytes (Core Specification Supplement, Part A).
public struct BLEAdvertisingData: Hashable, Sendable {
  /// One element.
  public struct Element: Hashable, Sendable {
    /// What it means; the numbers are those of the Bluetooth SIG's list of common data types.
    public var type: UInt8
    /// Its bytes, at most 254.
    public var bytes: [UInt8]

    /// Creates an element.
    public init(_ type: UInt8, _ bytes: [UInt8]) {
      self.type = type
      self.bytes = bytes
    }
  }

  /// The elements in their order.
  public var elements: [Element]
  /// Whether the bytes that were read ended within an element, which was dropped.
  public private(set) var isCut = false

  /// Creates data of elements.
  public init(_ elements: [Element]) { self.elements = elements }

  /// Reads what came over the air; no bytes are too strange for it.
  ///
  /// A length of 0 ends the data early, as the specification says.
  public init(reading bytes: [UInt8]) {
    elements = []
    var rest = bytes[...]
    while let length = rest.first, length > 0 {
      guard rest.count > Int(length) else {
        isCut = true
        return
      }
      let element = rest.dropFirst().prefix(Int(length))
      elements.append(Element(element[element.startIndex], Array(element.dropFirst())))
      rest = rest.dropFirst(Int(length) + 1)
    }
  }

  /// The bytes as they go over the air.
  public var bytes: [UInt8] {
    elements.flatMap { [UInt8(truncatingIfNeeded: $0.bytes.count + 1), $0.type] + $0.bytes }
  }

  /// The name, the complete one before a shortened one; `nil` where there is none.
  ///
  /// Bytes that are no UTF-8 become replacement characters: a name is for people.
  public var name: String? {
    (self[0x09] ?? self[0x08]).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The services that it lists, complete lists and others, of 16 and of 128 bits.
  public var services: [BLEUUID] {
    elements.flatMap { element -> [BLEUUID] in
      let size: Int
      switch element.type {
      case 0x02, 0x03: size = 2
      case 0x06, 0x07: size = 16
      default: return []
      }
      return stride(from: 0, through: element.bytes.count - size, by: size).compactMap {
        BLEUUID(bytes: element.bytes[$0..<($0 + size)])
      }
    }
  }

  /// The number of the manufacturer and what it says; `nil` where there is none.
  public var manufacturer: (company: UInt16, bytes: [UInt8])? {
    guard let bytes = self[0xFF], bytes.count >= 2 else { return nil }
    return (UInt16(bytes[0]) | UInt16(bytes[1]) << 8, Array(bytes.dropFirst(2)))
  }

  /// The bytes of the first element of a type.
  public subscript(type: UInt8) -> [UInt8]? { elements.first { $0.type == type }?.bytes }
}
