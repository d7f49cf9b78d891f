package import Files

/// What a program for a microcontroller consists of, whichever file it came from.
package struct FirmwareImage: Sendable {
  /// Whose instructions it holds.
  package enum Architecture: String, Sendable, CaseIterable {
    /// Thumb instructions of an ARM core of the M profile.
    case arm
    /// Instructions of an AVR.
    case avr
  }

  /// How the file was written.
  package enum Form: String, Sendable {
    /// An ELF with program headers.
    case elf
    /// Records of Intel HEX.
    case hex
    /// Bytes and nothing else.
    case raw
  }

  /// The path of the file, as the user gave it.
  package let path: String
  /// How the file was written.
  package let form: Form
  /// Whose instructions it holds; `nil` where the file does not say.
  package internal(set) var architecture: Architecture?
  /// What goes into flash, RAM and the like before the core starts, by address, none over another.
  package internal(set) var segments: [ImageSegment]
  /// What goes into the EEPROM of an AVR, its first byte being 0.
  package internal(set) var eeprom: [ImageSegment] = []
  /// Where the program wants its variables: the addresses that it uses at run time, by address.
  package internal(set) var reserved: [Range<UInt64>] = []
  /// The sections of its variables.
  package internal(set) var variables: [VariableSection] = []
  /// Where the file says that the program begins.
  package internal(set) var entry: UInt32?
  /// What it says of the processor that it was built for.
  package internal(set) var needs = ProcessorNeeds()
  /// Its functions and objects.
  package internal(set) var symbols = SymbolTable([])
  /// Whether source lines are told in it (DWARF).
  package internal(set) var hasLines = false
  /// Whether source lines are told in it in an older form, for which addr2line knows none of an AVR's (stabs).
  package internal(set) var hasStabs = false

  /// Creates an image of segments.
  ///
  /// - Throws: ``ImageProblem`` when two of them overlap, or there is none.
  init(
    path: String, form: Form, _ segments: [ImageSegment], architecture: Architecture? = nil
  ) throws(ImageProblem) {
    self.path = path
    self.form = form
    self.architecture = architecture
    self.segments = try segments.inOrder()
    guard !self.segments.isEmpty else { throw ImageProblem("it holds nothing to be loaded") }
  }

  /// How many bytes are loaded.
  package var size: Int { segments.reduce(0) { $0 + $1.bytes.count } }

  /// The little-endian word at an address, where the image has one.
  package func word(at address: UInt32) -> UInt32? {
    guard let segment = segments.first(where: { $0.range.contains(UInt64(address)) }) else {
      return nil
    }
    let place = Int(address - segment.address)
    guard place + 4 <= segment.bytes.count else { return nil }
    return segment.bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// A failure that names the file.
  package func failure(_ message: String) -> Failure {
    Failure(.badContent, "\(path): \(message)")
  }
}
