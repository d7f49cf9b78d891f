import Machines

/// The registers of a core as GDB numbers and describes them.
struct GDBRegisters {
  /// A register of GDB: the registers of the core of which it is made, the lowest bits first.
  struct Entry {
    let name: String
    let bits: Int
    let parts: [Int]
  }

  private let core: any MachineCore
  private let family: Int?
  /// All, in GDB's order.
  let entries: [Entry]

  /// - Parameters:
  ///   - core: the core.
  ///   - family: that of an AVR.
  init(_ core: any MachineCore, family: Int?) {
    self.core = core
    self.family = family
    var entries: [Entry] = []
    var index = 0
    let registers = core.registers
    while index < registers.count {
      let register = registers[index]
      // GDB knows the FPU by its double registers, two single ones each.
      if core.architecture == .arm, register.name.hasPrefix("s"),
        let number = Int(register.name.dropFirst()), index + 1 < registers.count
      {
        entries.append(Entry(name: "d\(number / 2)", bits: 64, parts: [index, index + 1]))
        index += 2
      } else {
        entries.append(Entry(name: register.name, bits: register.bits, parts: [index]))
        index += 1
      }
    }
    self.entries = entries
  }

  /// The registers of the core of which a register of GDB is made, by their names.
  func names(of number: Int) -> [String] {
    entries[number].parts.map { core.registers[$0].name }
  }

  /// The bytes of a register, the lowest first.
  func bytes(_ number: Int) -> [UInt8] {
    let entry = entries[number]
    let width = entry.bits / entry.parts.count / 8
    return entry.parts.flatMap { part in
      let value = core.readRegister(part)
      return (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }
  }

  /// Sets a register; whether it has so many bytes.
  func set(_ number: Int, _ bytes: ArraySlice<UInt8>) -> Bool {
    let entry = entries[number]
    let width = entry.bits / entry.parts.count / 8
    guard bytes.count == width * entry.parts.count else { return false }
    for (index, part) in entry.parts.enumerated() {
      let start = bytes.startIndex + index * width
      let value = bytes[start..<start + width].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      core.writeRegister(part, value)
    }
    return true
  }

  /// The description that GDB asks for: target.xml.
  var description: String {
    let head =
      #"<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">"#
    guard core.architecture == .arm else {
      let name = family.map { "avr:\($0)" } ?? "avr"
      // GDB knows an AVR's registers by itself, and warns of those that it is told.
      return head + "<architecture>\(name)</architecture></target>"
    }
    var text = head + "<architecture>arm</architecture>"
    text += #"<feature name="org.gnu.gdb.arm.m-profile">"#
    for (number, entry) in entries.enumerated() where number <= 16 { text += line(entry, number) }
    text += "</feature>"
    let system = entries.firstIndex { $0.name == "msp" } ?? entries.count
    for (name, range) in [("vfp", 17..<system), ("m-system", system..<entries.count)]
    where !range.isEmpty {
      text += #"<feature name="org.gnu.gdb.arm.\#(name)">"#
      for number in range { text += line(entries[number], number) }
      text += "</feature>"
    }
    return text + "</target>"
  }

  private func line(_ entry: Entry, _ number: Int) -> String {
    let types = ["sp": "data_ptr", "pc": "code_ptr", "fpscr": "int"]
    let type = types[entry.name] ?? (entry.bits == 64 ? "ieee_double" : "uint32")
    return
      #"<reg name="\#(entry.name)" bitsize="\#(entry.bits)" regnum="\#(number)" type="\#(type)"/>"#
  }
}
