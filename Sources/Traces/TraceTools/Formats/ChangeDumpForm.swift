import I2CTrace

/// Exports a Value Change Dump of SDA and SCL at the recorded speed.
///
/// Time 0 of the trace is at 10 us in the dump, so the bus is idle before the first start. The bits
/// of a transfer divide its duration evenly, because the trace does not record when a target
/// stretched the clock.
struct ChangeDumpForm: ExportForm {
  /// The idle time of the bus before time 0 of the trace, in nanoseconds.
  private static let idleTime: UInt64 = 10_000

  private let print: ([UInt8]) -> Void
  private let frequency: UInt64
  private var line = LineBuffer()
  private var time: UInt64 = 0
  private var levels = (sda: true, scl: true)
  /// The time at which SDA is released after the last transfer: `due`, or `early` if another
  /// transfer follows at once.
  private var end: (early: UInt64, due: UInt64)?
  private var undrawn = 0
  private var delayed = 0

  init(_ header: TraceHeader, _ number: Int?, _ print: @escaping ([UInt8]) -> Void) {
    self.print = print
    let bus = header.buses.first { number == nil || $0.number == number }
    frequency = max(bus?.frequency ?? 0, 1000)
    let words = header.generator.split { !$0.isLetter && !$0.isNumber && !".-_".contains($0) }
    line.append(
      text: """
        $comment \(words.joined(separator: " ")) $end
        $timescale 1 ns $end
        $scope module i2c-\(bus?.number ?? 0) $end
        $var wire 1 ! SCL $end
        $var wire 1 " SDA $end
        $upscope $end
        $enddefinitions $end
        #0
        1!
        1"

        """)
  }

  mutating func take(_ transfer: TracedTransfer) {
    guard let symbols = transfer.wire else {
      undrawn += 1
      line.append(text: "$comment a transfer that failed is not drawn $end\n")
      return
    }
    guard !symbols.isEmpty else { return }
    let due = transfer.time &+ Self.idleTime
    release(before: due)
    let begin = max(due, time + 1)
    if begin != due { delayed += 1 }
    let bits = transfer.bits
    let duration =
      transfer.duration >= 4 * bits ? transfer.duration : bits * 1_000_000_000 / frequency
    var slot = Slot(start: begin, duration: duration, bits: bits)
    for (index, symbol) in symbols.enumerated() {
      switch symbol {
      case .start: start(&slot, isRepeated: index > 0 && symbols[index - 1] != .stop)
      case .stop: stop(&slot)
      case .byte(let value, let acknowledged):
        // Flush here too, because one message may be as long as the longest line.
        if line.bytes.count > 1 << 16 { flush() }
        for bit in (0..<8).reversed() { self.bit(value >> UInt8(bit) & 1 == 1, &slot) }
        bit(!acknowledged, &slot)
      }
    }
    if line.bytes.count > 1 << 16 { flush() }
  }

  mutating func finish() -> [String] {
    release(before: .max)
    line.append(text: "#\(time + Self.idleTime)\n")
    flush()
    var notices: [String] = []
    if undrawn > 0 {
      notices.append(
        "\(undrawn) failed transfers are not drawn: their signals are not recorded")
    }
    if delayed > 0 {
      notices.append(
        "\(delayed) transfers are drawn later, because the ones before them take longer")
    }
    return notices
  }

  /// The division of a transfer's duration into equal bit times.
  private struct Slot {
    let start: UInt64
    let duration: UInt64
    let bits: UInt64
    var index: UInt64 = 0

    /// Returns the time at which this number of quarters of the current bit time has passed.
    func moment(_ quarters: UInt64) -> UInt64 {
      let (product, overflow) = duration.multipliedReportingOverflow(by: 4 * index + quarters)
      return start
        &+ (overflow ? duration / (4 * bits) * (4 * index + quarters) : product / (4 * bits))
    }
  }

  private mutating func start(_ slot: inout Slot, isRepeated: Bool) {
    if isRepeated {
      set(scl: false, at: slot.moment(0))
      set(sda: true, at: slot.moment(1))
      set(scl: true, at: slot.moment(2))
      set(sda: false, at: slot.moment(3))
    } else {
      set(sda: false, at: slot.moment(0))
      set(scl: false, at: slot.moment(2))
    }
    slot.index += 1
  }

  private mutating func bit(_ value: Bool, _ slot: inout Slot) {
    set(scl: false, at: slot.moment(0))
    set(sda: value, at: slot.moment(1))
    set(scl: true, at: slot.moment(2))
    slot.index += 1
  }

  private mutating func stop(_ slot: inout Slot) {
    set(scl: false, at: slot.moment(0))
    set(sda: false, at: slot.moment(1))
    set(scl: true, at: slot.moment(2))
    end = (slot.moment(3), slot.moment(4))
    slot.index += 1
    if slot.index < slot.bits { release(before: slot.moment(0)) }
  }

  /// Releases SDA after the last transfer, at its end or, if the next transfer begins at once,
  /// slightly earlier.
  private mutating func release(before next: UInt64) {
    guard let end else { return }
    self.end = nil
    set(sda: true, at: end.due < next ? end.due : end.early)
  }

  private mutating func set(scl value: Bool, at moment: UInt64) {
    guard levels.scl != value else { return }
    levels.scl = value
    change(value, "!\n", at: moment)
  }

  private mutating func set(sda value: Bool, at moment: UInt64) {
    guard levels.sda != value else { return }
    levels.sda = value
    change(value, "\"\n", at: moment)
  }

  private mutating func change(_ value: Bool, _ code: StaticString, at moment: UInt64) {
    if moment > time {
      time = moment
      line.append(UInt8(ascii: "#"))
      line.append(number: moment)
      line.append(UInt8(ascii: "\n"))
    }
    line.append(value ? UInt8(ascii: "1") : UInt8(ascii: "0"))
    line.append(code)
  }

  private mutating func flush() {
    print(line.bytes)
    line.removeAll()
  }
}
