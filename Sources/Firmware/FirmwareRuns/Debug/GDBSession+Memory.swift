import Machines
import Text

/// Memory as GDB reads, writes and programs it.
extension GDBSession {
  /// An address and a number of bytes, in hexadecimal.
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

  /// A byte as the program sees it, or of memory that it does not: an AVR's EEPROM.
  private func byte(at address: UInt32) -> UInt8? {
    if let byte = machine.core.readByte(address) { return byte }
    return machine.memory(at: address).map {
      $0.bytes.load(fromByteOffset: Int(address &- $0.base), as: UInt8.self)
    }
  }

  /// Writes bytes; into memory that outlives the supply as a programmer does, so that `--flash` keeps them.
  private func put(_ bytes: some Collection<UInt8>, at address: UInt32) -> Bool {
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

  /// Does vFlashErase and vFlashDone, by which `load` programs flash.
  ///
  /// What is written comes as bytes, see ``binary(_:)``.
  func flash(_ text: Substring) -> String {
    if text == "Done" { return "OK" }
    guard text.hasPrefix("Erase:") else { return "" }
    let numbers = text.dropFirst(6).split(separator: ",").map { UInt32($0, radix: 16) }
    guard numbers.count == 2, let start = numbers[0], let count = numbers[1],
      let memory = machine.memory(at: start), memory.kind == .flash,
      UInt64(start) + UInt64(count) <= UInt64(memory.base) + UInt64(memory.count)
    else { return "E01" }
    memory.load(repeatElement(memory.erased, count: Int(count)), at: start)
    memory.didChange?(Int(start - memory.base), Int(count))
    return "OK"
  }

  /// A packet that carries bytes as they are: X and vFlashWrite; `nil` where it is none.
  func binary(_ content: [UInt8]) -> String? {
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

  /// The memories as GDB wants to know them: what is flash it erases and programs, and stops there by itself with
  /// breakpoints of the hardware; everything else is as RAM.
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
    var place: UInt64 = 0
    let flashes = machine.memories.filter { $0.kind == .flash }.sorted { $0.base < $1.base }
    for flash in flashes {
      let end = UInt64(flash.base) + UInt64(flash.count)
      line("ram", place, UInt64(flash.base))
      line(
        "flash", UInt64(flash.base), end,
        "<property name=\"blocksize\">0x\(String(flash.pageSize, radix: 16))</property>")
      place = end
    }
    line("ram", place, 1 << 32)
    return text + "</memory-map>"
  }
}
