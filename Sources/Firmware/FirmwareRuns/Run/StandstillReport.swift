import Cores
import I2CTrace
import Images
import Machines
import Text

/// Says of firmware that cannot go on where it is, and how it came there.
struct StandstillReport {
  let bench: FirmwareBench
  /// Where the last fault's program had jumped without the Thumb bit, and the link register then; `nil` behind any other.
  private var jump: (target: UInt32, link: UInt32)?

  init(_ bench: FirmwareBench) { self.bench = bench }

  var core: any MachineCore { bench.machine.core }
  var symbols: SymbolTable { bench.image.symbols }

  /// Where the core is: the function and the address.
  var here: String { symbols.place(core.programCounter) }

  /// The instruction before the next one, which a run that has just stopped has executed, unless it was a jump.
  var last: String {
    let next = core.programCounter
    guard next >= 4, let word = code(next &- 4) else { return here }
    // The first half of a wide Thumb instruction; LDS and STS of an AVR.
    let isWide =
      core.architecture == .arm ? word >= 0xE800 : word & 0xFC0F == 0x9000
    return symbols.place(next &- (isWide ? 4 : 2))
  }

  /// A failure at the place where the core is, with the last transfers.
  func failure(_ what: String, at place: String? = nil, time: UInt64? = nil) -> [String] {
    let time = Decimal.fixed(Double(time ?? bench.machine.clock.nanoseconds) / 1e9, 6)
    return ["\(time) s: \(what), at \(place ?? here)"] + lastTransfers
  }

  var lastTransfers: [String] {
    guard !bench.transfers.isEmpty else { return ["there was no transfer on a bus"] }
    return ["the last transfers on its buses:"]
      + bench.transfers.map {
        "  \(Decimal.fixed(Double($0.time) / 1e9, 6)) i2c-\($0.bus) \($0)"
      }
  }

  // MARK: Faults

  /// What is wrong where nothing can happen any more: a fault's handler that does nothing for ever.
  func hopeless() -> [String]? {
    guard handlesFault, !core.isAsleep, standsStill else { return nil }
    return explained("a fault that the program does not handle")
  }

  /// A fault while a fault was handled.
  func lockUp(_ fault: String) -> [String] {
    let place =
      switch exception {
      case 2: "inside the NMI"
      case 3: "inside HardFault"
      default: "where no fault can be taken"
      }
    return explained("the core has locked up (lockup): a fault \(place), \(fault)")
  }

  /// A fault whose handler has begun with the instruction before which the core stands.
  mutating func fault() -> String {
    jump = jumpWithoutThumb
    let time = Decimal.fixed(Double(bench.machine.clock.nanoseconds) / 1e9, 6)
    let status = String(word(0xE000_ED28) ?? 0, radix: 16)
    return "\(time) s: a fault of the program, CFSR 0x\(status)\(reasons), at "
      + (interrupted.map { symbols.place($0) } ?? here) + (jump.map { origin($0.link) } ?? "")
  }

  /// Whether a fault is handled.
  var handlesFault: Bool { core.architecture == .arm && (3...6).contains(exception) }

  /// A fault whose handler goes on when the time is over.
  func unended() -> [String]? {
    handlesFault ? explained("a fault whose handler had not ended when the time was over") : nil
  }

  /// The instruction at which an exception was taken whose handler begins: in the frame on the stack that R14 names.
  private var interrupted: UInt32? { word(frame &+ 24).map { $0 & ~1 } }

  /// The frame of an exception whose handler begins.
  var frame: UInt32 {
    let isOnProcessStack = core.readRegister(14) & 4 != 0
    let process = (core as? ArmCore)?[special: .processStack] ?? core.stackPointer
    return isOnProcessStack ? process : core.stackPointer
  }

  private func explained(_ what: String) -> [String] {
    if let overflow = stackOverflow { return overflow }
    if let jump {
      return failure("\(what)\(reasons)", at: symbols.place(jump.target) + origin(jump.link))
    }
    let frame = faultFrame
    let place = frame.map { symbols.place($0) }
    if let address = frame, !isCode(address) {
      return failure(
        "\(what): it has run off to where there is no code\(reasons)",
        at: "0x\(String(address, radix: 16))\(caller.map { ", called from \($0)" } ?? "")")
    }
    return failure("\(what)\(reasons)", at: place)
  }

  /// The exception that is handled.
  private var exception: Int { Int(core.readRegister(16) & 0x1FF) }

  func isCode(_ address: UInt32) -> Bool {
    bench.image.segments.contains { $0.range.contains(UInt64(address)) }
      || bench.profile.ram.contains(UInt64(address)) && symbols.function(at: address) != nil
  }

  func word(_ address: UInt32) -> UInt32? {
    var value: UInt32 = 0
    for index in 0..<UInt32(4) {
      guard let byte = core.readByte(address &+ index) else { return nil }
      value |= UInt32(byte) << (index * 8)
    }
    return value
  }

  /// What CFSR and its neighbours say, in words.
  private var reasons: String {
    let status = word(0xE000_ED28) ?? 0
    var words = Self.bits.filter { status >> $0.bit & 1 != 0 }.map(\.words)
    if status >> 15 & 1 != 0, let address = word(0xE000_ED38) {
      if let controller = bench.profile.flashController, status >> 9 & 1 != 0,
        bench.profile.flash.contains(UInt64(address))
      {
        words.removeAll { $0 == Self.noMemory }
        words.append("a store to flash, which \(controller) alone writes and had not been told to")
      }
      words.append("address 0x\(String(address, radix: 16))")
    } else if status >> 7 & 1 != 0, let address = word(0xE000_ED34) {
      words.append("address 0x\(String(address, radix: 16))")
    }
    return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
  }

  private static let noMemory = "no memory there"

  /// The bits of CFSR (ARMv7-M Architecture Reference Manual, B3.2.15).
  private static let bits: [(bit: UInt32, words: String)] = [
    (0, "code that may not be run"), (1, "data that may not be used"), (3, "unstacking"),
    (4, "stacking"), (8, "no code there"), (9, noMemory),
    (10, "no memory there, noticed late"), (11, "unstacking"), (12, "stacking"),
    (16, "undefined instruction"), (17, "not Thumb code: the Thumb bit is 0"),
    (18, "bad return from an exception"),
    (19, "no such coprocessor, or the FPU is off"), (24, "unaligned access"),
    (25, "division by zero"),
  ]

  /// The instruction at which the fault was taken: in the frame that lies nearest above the stack pointer.
  private var faultFrame: UInt32? {
    let stack = core.stackPointer
    for offset in stride(from: UInt32(0), to: 128, by: 4) {
      guard let pc = word(stack &+ offset &+ 24), let xpsr = word(stack &+ offset &+ 28),
        xpsr & 0x0100_0000 != 0, xpsr & 0x00F0_0000 == 0, pc & 1 == 0,
        let link = word(stack &+ offset &+ 20), link & 1 == 1 || link == 0
      else { continue }
      return pc
    }
    return nil
  }

  /// Who called code that has run off, by the link register of its frame.
  private var caller: String? {
    let stack = core.stackPointer
    for offset in stride(from: UInt32(0), to: 128, by: 4) {
      guard let xpsr = word(stack &+ offset &+ 28), xpsr & 0x01F0_0000 == 0x0100_0000,
        let link = word(stack &+ offset &+ 20), link & 1 == 1, isCode(link & ~1)
      else { continue }
      return symbols.place(link & ~1)
    }
    return nil
  }
}
