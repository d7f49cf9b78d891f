extension WarehousePolicy.Zone {
  /// Its name as a level of a topic, with what Home Assistant's discovery allows: ASCII letters, digits, - and _.
  ///
  /// A blank becomes `_`, any other character `_` and the two digits of each of its bytes: `K_c3_a4se` is Käse.
  public var topic: String {
    name.utf8.reduce(into: "") { topic, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        topic.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: " "): topic += "_"
      default: topic += (byte < 16 ? "_0" : "_") + String(byte, radix: 16)
      }
    }
  }
}
