import Glibc
import TestSupport
import Testing

/// A vector of fixtures/compensation by its column names.
struct CompensationVector {
  let columns: [String: String]
  subscript(name: String) -> String { columns[name] ?? "" }

  /// Returns whether the reference code overflowed in an output: `P`, `Q` (32-bit pressure) or `H`.
  func overflows(_ output: String) -> Bool {
    let letters = ["ds_P64u32": "P", "ds_P32": "Q", "ds_H": "H"]
    return letters[output].map { self["overflow"].contains($0) } ?? false
  }
}

/// A record of Tests/Firmware/compensation.c in RAM.
struct CompensationRecords {
  static let size = 112
  private let bytes: ArraySlice<UInt8>

  init(_ memory: [UInt8], _ index: Int) {
    let start = 16 + Self.size * index
    bytes = memory[start..<start + Self.size]
  }

  private func word(_ offset: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[bytes.startIndex + offset + $1]) << UInt32($1 * 8) }
  }

  private func double(_ offset: Int) -> Double {
    Double(bitPattern: UInt64(word(offset)) | UInt64(word(offset + 4)) << 32)
  }

  /// The results of the integer formulas by column.
  var integers: [(String, Int64)] {
    [
      ("ds_tf", Int64(Int32(bitPattern: word(48)))), ("ds_T", Int64(Int32(bitPattern: word(52)))),
      ("ds_P64u32", Int64(word(56))), ("ds_P32", Int64(word(60))), ("ds_H", Int64(word(64))),
    ]
  }

  /// The results in double precision.
  var doubles: [(String, Double)] {
    [("dd_T", double(88)), ("dd_P", double(96)), ("dd_H", double(104))]
  }

  /// The results in single precision, as raw bits.
  var singles: [UInt32] { [word(68), word(72)] }

  /// Returns the RAM that requests vectors, repeated.
  static func memory(_ vectors: [CompensationVector], repeats: UInt32 = 1) -> [UInt8] {
    var memory = [UInt8](repeating: 0, count: 16 + size * vectors.count)
    func put(_ value: UInt32, _ at: Int) {
      for byte in 0..<4 { memory[at + byte] = UInt8(truncatingIfNeeded: value >> UInt32(byte * 8)) }
    }
    put(UInt32(vectors.count), 0)
    put(repeats, 4)
    for (index, vector) in vectors.enumerated() {
      let start = 16 + size * index
      let calibration =
        Self.bytes(vector["calib_88_A1_hex"]) + Self.bytes(vector["calib_E1_E7_hex"])
      memory.replaceSubrange(start..<start + calibration.count, with: calibration)
      for (index, name) in ["adc_T", "adc_P", "adc_H"].enumerated() {
        put(UInt32(vector[name]) ?? 0, start + 36 + index * 4)
      }
    }
    return memory
  }

  /// Returns the number of records in a RAM image.
  static func count(_ memory: [UInt8]) -> Int { (memory.count - 16) / size }

  private static func bytes(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.utf8.count, by: 2).compactMap {
      UInt8(text.dropFirst($0).prefix(2), radix: 16)
    }
  }

  /// All vectors.
  static func vectors() throws -> [CompensationVector] {
    let lines = try Fixtures.text("fixtures/compensation/vectors.csv").split(separator: "\n")
    let names = try #require(lines.first).split(separator: ",").map(String.init)
    return lines.dropFirst().map { line in
      let values = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return CompensationVector(columns: Dictionary(uniqueKeysWithValues: zip(names, values)))
    }
  }
}
