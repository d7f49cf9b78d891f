/// The content of an advertisement or scan response: elements of a type and data bytes (Core Specification Supplement,
/// Part A).
public struct BLEAdvertisingData: Hashable, Sendable {
  /// An element (AD structure).
  public struct Element: Hashable, Sendable {
    /// The type, as assigned by the Bluetooth SIG (common data types).
    public var type: UInt8
    /// The data, at most 254 bytes.
    public var bytes: [UInt8]

    /// Creates an element.
    public init(_ type: UInt8, _ bytes: [UInt8]) {
      self.type = type
      self.bytes = bytes
    }
  }

  /// The elements in order.
  public var elements: [Element]
  /// `true` if the parsed bytes ended within an element, which was dropped.
  public private(set) var isCut = false

  /// Creates data from elements.
  public init(_ elements: [Element]) { self.elements = elements }

  /// Parses received bytes; malformed data are accepted.
  ///
  /// A length of 0 ends the data early, as specified.
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

  /// The encoded bytes.
  public var bytes: [UInt8] {
    elements.flatMap { [UInt8(truncatingIfNeeded: $0.bytes.count + 1), $0.type] + $0.bytes }
  }

  /// The complete name or, if it is missing, the shortened name; `nil` if there is neither.
  ///
  /// Invalid UTF-8 is replaced, because a name is only displayed.
  public var name: String? {
    (self[0x09] ?? self[0x08]).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The services in complete and incomplete lists, with 16-bit and 128-bit UUIDs.
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

  /// The company identifier and the manufacturer data; `nil` if there are none.
  public var manufacturer: (company: UInt16, bytes: [UInt8])? {
    guard let bytes = self[0xFF], bytes.count >= 2 else { return nil }
    return (UInt16(bytes[0]) | UInt16(bytes[1]) << 8, Array(bytes.dropFirst(2)))
  }

  /// Returns the data of the first element of a type.
  public subscript(type: UInt8) -> [UInt8]? { elements.first { $0.type == type }?.bytes }
}
