import Support

/// A writer of FlatBuffers (flatbuffers.dev, "FlatBuffers internals"), which are written from the end to the start.
struct FlatBufferWriter {
  /// The bytes in reverse order.
  private var reversed: [UInt8] = []
  private var alignment = 1

  /// The number of bytes written, which is the distance of the last object from the end.
  private var size: Int { reversed.count }

  /// An object that was written: its distance from the end of the buffer.
  struct Offset { fileprivate let distance: Int }

  /// A field of a table, with its index in the table's schema.
  enum Field {
    case byte(Int, UInt8)
    case short(Int, Int16)
    case int(Int, Int32)
    case long(Int, Int64)
    case float(Int, Float)
    case object(Int, Offset)

    fileprivate var index: Int {
      switch self {
      case .byte(let index, _), .short(let index, _), .int(let index, _), .long(let index, _),
        .float(let index, _), .object(let index, _):
        index
      }
    }
  }

  private mutating func align(_ size: Int, after more: Int = 0) {
    alignment = max(alignment, size)
    while (reversed.count + more) % size != 0 { reversed.append(0) }
  }

  /// Writes an integer in little-endian order.
  private mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.bigEndian) { reversed += $0 }
  }

  private mutating func putOffset(_ target: Offset) {
    align(4)
    put(UInt32(size + 4 - target.distance))
  }

  /// Writes a text.
  mutating func text(_ text: String) -> Offset {
    let bytes = Array(text.utf8)
    align(4, after: bytes.count + 1)
    reversed.append(0)
    reversed += bytes.reversed()
    put(UInt32(bytes.count))
    return Offset(distance: size)
  }

  /// Writes a list of numbers.
  mutating func floats(_ values: [Float]) -> Offset {
    align(4, after: values.count * 4)
    for value in values.reversed() { put(value.bitPattern) }
    put(UInt32(values.count))
    return Offset(distance: size)
  }

  /// Writes a list of integers.
  mutating func longs(_ values: [Int64]) -> Offset {
    align(8, after: values.count * 8)
    // The length precedes the first value directly, which needs an alignment of 8.
    for value in values.reversed() { put(value) }
    put(UInt32(values.count))
    return Offset(distance: size)
  }

  /// Writes a list of objects.
  mutating func list(_ objects: [Offset]) -> Offset {
    align(4, after: objects.count * 4)
    for object in objects.reversed() { putOffset(object) }
    put(UInt32(objects.count))
    return Offset(distance: size)
  }

  /// Writes a table.
  mutating func table(_ fields: [Field]) -> Offset {
    let end = size
    var distances: [Int: Int] = [:]
    for field in fields {
      switch field {
      case .byte(_, let value): put(value)
      case .short(_, let value):
        align(2)
        put(value)
      case .int(_, let value):
        align(4)
        put(value)
      case .long(_, let value):
        align(8)
        put(value)
      case .float(_, let value):
        align(4)
        put(value.bitPattern)
      case .object(_, let object): putOffset(object)
      }
      distances[field.index] = size
    }
    align(4)
    // The table begins with the distance of its list of fields, which precedes it.
    let count = (distances.keys.max() ?? -1) + 1
    let start = size + 4
    put(Int32(4 + 2 * count))
    for index in (0..<count).reversed() {
      put(UInt16(distances[index].map { start - $0 } ?? 0))
    }
    put(UInt16(start - end))
    put(UInt16(4 + 2 * count))
    return Offset(distance: start)
  }

  /// Returns the buffer with a table as its root, preceded by its length.
  mutating func finished(_ root: Offset) -> [UInt8] {
    alignment = max(alignment, 4)
    while (size + 8) % alignment != 0 { reversed.append(0) }
    put(UInt32(size + 4 - root.distance))
    put(UInt32(size))
    return reversed.reversed()
  }
}

/// A forecast response in Open-Meteo's format of FlatBuffers (package openmeteo-sdk 1.29, `WeatherApiResponse`).
struct ForecastBuffer {
  /// The part of a response that is not in its tables.
  struct Head {
    let latitude, longitude, elevation: Double
    let milliseconds: Double
    /// The index of the location in the request.
    let index: Int
    let shift: Int
    let zone, abbreviation: String
  }

  /// Returns a response, preceded by its length.
  static func bytes(_ head: Head, _ tables: [ForecastTable]) -> [UInt8] {
    var writer = FlatBufferWriter()
    let slots = ["current": 9, "daily": 10, "hourly": 11, "minutely_15": 12]
    var fields: [FlatBufferWriter.Field] = []
    for table in tables {
      guard let slot = slots[table.name] else { continue }
      fields.append(.object(slot, write(table, &writer)))
    }
    fields += [
      .object(7, writer.text(head.zone)), .object(8, writer.text(head.abbreviation)),
      .long(4, Int64(head.index)), .float(0, Float(head.latitude)),
      .float(1, Float(head.longitude)), .float(2, Float(head.elevation)),
      .float(3, Float(head.milliseconds)), .int(6, Int32(head.shift)),
      // The model is "best match".
      .byte(5, 1),
    ]
    return writer.finished(writer.table(fields))
  }

  private static func write(_ table: ForecastTable, _ writer: inout FlatBufferWriter)
    -> FlatBufferWriter.Offset
  {
    let columns = table.columns.map { column -> FlatBufferWriter.Offset in
      var fields: [FlatBufferWriter.Field] = []
      let numbers = column.values.map { Float($0 ?? .nan) }
      if column.isTime {
        fields.append(.object(4, writer.longs(column.values.map { Int64($0 ?? 0) })))
      } else if table.isMoment {
        fields.append(.float(2, numbers[0]))
      } else {
        fields.append(.object(3, writer.floats(numbers)))
      }
      fields += [
        .short(5, column.height), .byte(0, column.number), .byte(1, column.unit.number),
        .byte(6, column.statistic),
      ]
      return writer.table(fields)
    }
    let list = writer.list(columns)
    let first = table.times.first ?? 0
    return writer.table([
      .long(0, Int64(first)), .long(1, Int64(first + table.times.count * table.interval)),
      .object(3, list), .int(2, Int32(table.interval)),
    ])
  }
}
