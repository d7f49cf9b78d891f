import Text

/// The build attributes of an ARM ELF ("ABI for the Arm Architecture: Build Attributes", 2023Q3).
struct ArmAttributes {
  private(set) var needs = ProcessorNeeds()
  private var bytes: ArraySlice<UInt8>

  /// Reads the content of the section.
  ///
  /// - Throws: ``ImageProblem`` when the program is not for the M profile, or for a newer one.
  init(_ section: [UInt8]) throws(ImageProblem) {
    bytes = section[...].dropFirst()
    guard section.first == UInt8(ascii: "A"), bytes.count > 4 else { return }
    bytes = bytes.dropFirst(4)
    guard text() == "aeabi", number() == 1, bytes.count > 4 else { return }
    bytes = bytes.dropFirst(4)
    var (architecture, profile) = (0, 0)
    while !bytes.isEmpty {
      let tag = number()
      switch tag {
      case 4, 5, 67:
        let name = text()
        if tag == 5 { needs.name = name.lowercased().visible }
      case 32: (_, _) = (number(), text())
      case 6: architecture = number()
      case 7: profile = number()
      case 28: needs.hasHardFloat = number() == 1
      case _ where tag > 32 && tag % 2 == 1: _ = text()
      default: _ = number()
      }
    }
    try judge(architecture, profile)
  }

  /// Tag_CPU_arch: 11 and 12 are ARMv6-M, 10 and 13 ARMv7(E)-M, 16 and up Armv8-M and later.
  private mutating func judge(_ architecture: Int, _ profile: Int) throws(ImageProblem) {
    needs.isBeyondBaseline = [10, 13].contains(architecture)
    let name = needs.name.map { " (\($0))" } ?? ""
    if [UInt8(ascii: "A"), UInt8(ascii: "R"), UInt8(ascii: "S")].map(Int.init).contains(profile) {
      throw ImageProblem("the ELF is for an ARM\(name) that is not of the M profile")
    }
    guard [0, 10, 11, 12, 13].contains(architecture) else {
      throw ImageProblem(
        "the ELF is for another ARM\(name): there are cores for ARMv6-M and ARMv7E-M")
    }
  }

  /// An unsigned number of 7 bits a byte (ULEB128); what is too large is cut.
  private mutating func number() -> Int {
    var (value, shift) = (0, 0)
    while let byte = bytes.popFirst() {
      if shift < 56 { value |= Int(byte & 0x7F) << shift }
      shift += 7
      if byte & 0x80 == 0 { break }
    }
    return value
  }

  private mutating func text() -> String {
    let text = bytes.prefix { $0 != 0 }
    bytes = bytes.dropFirst(text.count + 1)
    return String(decoding: text, as: UTF8.self)
  }
}
