/// A serial port of a microcontroller.
package final class SerialPort {
  /// Its name, as the data sheet calls it.
  package let name: String
  /// Takes each byte that the part has sent, with the time in nanoseconds at which its stop bit had passed; it is not set
  /// while a byte is taken.
  package var output: (_ byte: UInt8, _ time: UInt64) -> Void {
    get { taker._withUnsafeGuaranteedRef { $0.take } }
    set {
      let old = taker
      taker = .passRetained(Taker(newValue))
      old.release()
    }
  }
  /// Who takes the bytes, held by hand: a byte then costs no counting of references.
  @exclusivity(unchecked) private var taker = Unmanaged.passRetained(Taker { _, _ in })

  private final class Taker {
    let take: (_ byte: UInt8, _ time: UInt64) -> Void

    init(_ take: @escaping (_ byte: UInt8, _ time: UInt64) -> Void) { self.take = take }
  }
  /// What the program set: bits a second, 0 before it did.
  @exclusivity(unchecked) package var baudRate: UInt64 = 0
  /// Is told when there is something to receive; the peripheral sets it.
  @exclusivity(unchecked) package var arrives: () -> Void = {}

  @exclusivity(unchecked) private var waiting: [UInt8] = []
  @exclusivity(unchecked) private var first = 0

  /// Creates a port.
  package init(_ name: String) { self.name = name }

  deinit { taker.release() }

  /// Sends bytes to the part, which receives them one after the other at its baud rate.
  package func send(_ bytes: some Sequence<UInt8>) {
    waiting.append(contentsOf: bytes)
    if hasInput { arrives() }
  }

  /// Hands a byte on that the part has sent.
  package func put(_ byte: UInt8, at time: UInt64) {
    taker._withUnsafeGuaranteedRef { $0.take(byte, time) }
  }

  /// Whether the part has something to receive.
  package var hasInput: Bool { first < waiting.count }

  /// The byte that arrives next, taken off the line.
  package func receive() -> UInt8? {
    guard hasInput else { return nil }
    defer {
      first += 1
      if first == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        first = 0
      }
    }
    return waiting[first]
  }
}
