import Yams

/// What a document's aliases stand for, measured before anything is put in their places.
///
/// A few lines of lists of aliases of lists of aliases stand for billions of values. So the document is first read with
/// a plain text in the place of each alias, which shows its structure and costs no more than its length.
package enum Aliases {
  /// Stands at the start of each text that takes the place of an alias; no keyboard writes it.
  package static let mark: Unicode.Scalar = "\u{E000}"

  /// The document with plain texts in the places of its aliases; `nil` when it has none.
  ///
  /// What merely looks like one, in a comment or a quoted text, is replaced too: that changes no structure.
  package static func replaced(in text: String) -> String? {
    let bytes = Array(text.utf8)
    let anchors = names(behind: UInt8(ascii: "&"), in: bytes)
    guard !anchors.isEmpty, !names(behind: UInt8(ascii: "*"), in: bytes).isEmpty else { return nil }
    var replaced: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "*"), index + 1 < bytes.count, isNameByte(bytes[index + 1]) {
        replaced += UTF8.encode(mark).map { Array($0) } ?? []
      } else {
        replaced.append(byte)
      }
    }
    return String(decoding: replaced, as: UTF8.self)
  }

  private static func names(behind mark: UInt8, in bytes: [UInt8]) -> Set<ArraySlice<UInt8>> {
    var names: Set<ArraySlice<UInt8>> = []
    for index in bytes.indices where bytes[index] == mark {
      let name = bytes[(index + 1)...].prefix(while: isNameByte)
      if !name.isEmpty { names.insert(name) }
    }
    return names
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
