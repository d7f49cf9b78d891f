package import Machines
import Support

/// Memory packets of GDB: reading, writing and programming.
extension GDBSession {
  /// Parses an address and a length, both in hexadecimal.
  private func range(_ text: Substring) -> (address: UInt32, count: UInt32)? {
    let numbers = text.split(separator: ",").map { UInt32($0, radix: 16) }
    guard numbers.count == 2, let address = numbers[0], let count = numbers[1],
      count <= UInt32(GDBPacketReader.longest / 2 - 16)
    else { return nil }
    return (address, count)
  }

  func read(_ text: Substring) -> String {
    guard let (address, count) = range(text) else { return "E01" }
    var bytes: [UInt8] = []
    for offset in 0..<count {
      guard let byte = byte(at: address &+ offset) else { break }
      bytes.append(byte)
    }
    return bytes.isEmpty && count > 0 ? "E14" : hexadecimal(bytes)
  }

  func write(_ text: Substring) -> String {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let (address, count) = range(parts[0]), let bytes = decoded(parts[1]),
      bytes.count == Int(count)
    else { return "E01" }
    return put(bytes, at: address) ? "OK" : "E14"
  }

  /// Returns a byte as the program reads it, or a byte of memory outside the program's address space, such as EEPROM.
  func byte(at address: UInt32) -> UInt8? {
    if let history, history.isPast { return history.byte(at: address) }
    if let byte = machine.core.readByte(address) { return byte }
    return machine.memory(at: address).map {
      $0.bytes.load(fromByteOffset: Int(address &- $0.base), as: UInt8.self)
    }
  }

  /// Writes bytes.
  ///
  /// Bytes in non-volatile memory are programmed, so `--flash` persists them.
  private func put(_ bytes: some Collection<UInt8>, at address: UInt32) -> Bool {
    let bytes = Array(bytes)
    return intervene { Self.put(bytes, at: address, in: $0.machine) }
  }

  private static func put(
    _ bytes: [UInt8], at address: UInt32, in machine: any Microcontroller
  ) -> Bool {
    var address = address
    for byte in bytes {
      if let memory = machine.memory(at: address), memory.isPersistent {
        memory.load([byte], at: address)
        memory.didChange?(Int(address &- memory.base), 1)
      } else if !machine.core.writeByte(address, byte) {
        return false
      }
      address &+= 1
    }
    return true
  }

  /// Handles vFlashErase and vFlashDone, with which `load` programs flash.
  ///
  /// The data arrive in binary packets; see `binary(_:)`.
  func flash(_ text: Substring) -> String {
    if text == "Done" { return "OK" }
    guard text.hasPrefix("Erase:") else { return "" }
    let numbers = text.dropFirst(6).split(separator: ",").map { UInt32($0, radix: 16) }
    guard numbers.count == 2, let start = numbers[0], let count = numbers[1],
      let memory = machine.memory(at: start), memory.kind == .flash,
      UInt64(start) + UInt64(count) <= UInt64(memory.base) + UInt64(memory.count)
    else { return "E01" }
    let erased = Array(repeating: memory.erased, count: Int(count))
    return put(erased, at: start) ? "OK" : "E01"
  }

  /// Handles X and vFlashWrite, the packets with binary data; returns `nil` for other packets.
  package func binary(_ content: [UInt8]) -> String? {
    let flash = Array("vFlashWrite:".utf8)
    let isFlash = content.starts(with: flash)
    guard isFlash || content.first == UInt8(ascii: "X") else { return nil }
    let body = content.dropFirst(isFlash ? flash.count : 1)
    guard let colon = body.firstIndex(of: UInt8(ascii: ":")) else { return "E01" }
    let head = String(decoding: body[..<colon], as: UTF8.self)
    let bytes = body[(colon + 1)...]
    if isFlash {
      guard let address = UInt32(head, radix: 16), let memory = machine.memory(at: address),
        memory.kind == .flash,
        UInt64(address) + UInt64(bytes.count) <= UInt64(memory.base) + UInt64(memory.count)
      else { return "E.memtype" }
      return put(bytes, at: address) ? "OK" : "E14"
    }
    guard let (address, count) = range(Substring(head)), count == UInt32(bytes.count) else {
      return "E01"
    }
    return put(bytes, at: address) ? "OK" : "E14"
  }

  /// The memory map for GDB, in which everything except flash is RAM.
  ///
  /// GDB erases and programs flash, and uses hardware breakpoints in it.
  var memoryMap: String {
    var text =
      #"<?xml version="1.0"?><!DOCTYPE memory-map PUBLIC "+//IDN gnu.org//DTD GDB Memory Map V1.0//EN" "#
      + #""http://sourceware.org/gdb/gdb-memory-map.dtd"><memory-map>"#
    func line(_ kind: String, _ start: UInt64, _ end: UInt64, _ more: String = "") {
      guard start < end else { return }
      text +=
        "<memory type=\"\(kind)\" start=\"0x\(String(start, radix: 16))\" "
        + "length=\"0x\(String(end - start, radix: 16))\""
        + (more.isEmpty ? "/>" : ">\(more)</memory>")
    }
    var next: UInt64 = 0
    let flashes = machine.memories.filter { $0.kind == .flash }.sorted { $0.base < $1.base }
    for flash in flashes {
      let end = UInt64(flash.base) + UInt64(flash.count)
      line("ram", next, UInt64(flash.base))
      line(
        "flash", UInt64(flash.base), end,
        "<property name=\"blocksize\">0x\(String(flash.pageSize, radix: 16))</property>")
      next = end
    }
    line("ram", next, 1 << 32)
    return text + "</memory-map>"
  }
}

/// The registers of a core, in the order in which GDB numbers them, with their description for GDB.
package struct GDBRegisters {
  /// A GDB register, which consists of one or more core registers, the least significant first.
  package struct Entry {
    package let name: String
    let bits: Int
    let parts: [Int]
  }

  private let core: any MachineCore
  private let family: Int?
  /// All registers, in GDB's order.
  package let entries: [Entry]

  /// Creates the registers of a core.
  ///
  /// - Parameters:
  ///   - core: the core.
  ///   - family: the AVR family.
  package init(_ core: any MachineCore, family: Int?) {
    self.core = core
    self.family = family
    var entries: [Entry] = []
    var index = 0
    let registers = core.registers
    while index < registers.count {
      let register = registers[index]
      // GDB expects double-precision FPU registers, each of which consists of two single-precision registers.
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

  /// Returns the names of the core registers that form a GDB register.
  func names(of number: Int) -> [String] {
    entries[number].parts.map { core.registers[$0].name }
  }

  /// Returns the bytes of a register in little-endian order.
  ///
  /// - Parameters:
  ///   - number: GDB's number of the register.
  ///   - past: returns the value of a core register at a past moment. Default: `nil` for the current values.
  /// - Returns: the bytes.
  package func bytes(_ number: Int, _ past: (Int) -> UInt64? = { _ in nil }) -> [UInt8] {
    let entry = entries[number]
    let width = entry.bits / entry.parts.count / 8
    return entry.parts.flatMap { part in
      let value = past(part) ?? core.readRegister(part)
      return (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }
  }

  /// Sets a register; returns `false` if the number of bytes does not match.
  package func set(_ number: Int, _ bytes: ArraySlice<UInt8>) -> Bool {
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

  /// The target description for GDB (target.xml).
  package var description: String {
    let head =
      #"<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">"#
    guard core.architecture == .arm else {
      let name = family.map { "avr:\($0)" } ?? "avr"
      // GDB has built-in AVR registers and warns if the target describes them.
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
