package import I2C

/// A bus as the server of a foreign client uses it: messages that arrive one by one, several of which form one transfer.
///
/// The bus stays open between the messages of a transfer, as SCL is held low on a real bus, so that the timing, the
/// faults and the traces are those of a combined transfer. A message is answered when its bits have left the wire.
package final class ServedBus {
  /// The functionality of the adapter.
  package let functionality: I2CFunctionality
  private let wire: any I2CWire
  private let clock: any I2CClock
  private let settle: () -> Void
  /// The time at which the last step on the wire ended.
  private var end: UInt64 = 0
  /// `false` while the adapter is unplugged.
  package var isPluggedIn = true
  /// `true` while a transfer is open: its last message has not been sent.
  package private(set) var isOpen = false

  /// Creates a served bus.
  ///
  /// - Parameters:
  ///   - adapter: the adapter of the bus.
  ///   - clock: the clock of the bus.
  ///   - settle: returns when the bits of all earlier steps have left the wire, or at a signal. Default: returns at once.
  package init(_ adapter: any I2CAdapter, _ clock: any I2CClock, settle: @escaping () -> Void = {})
  {
    functionality = adapter.functionality
    wire = adapter.anyWire(clock)
    self.clock = clock
    self.settle = settle
  }

  /// Sends a message that writes bytes.
  ///
  /// - Parameters:
  ///   - bytes: the bytes; empty for a probe.
  ///   - address: the address of the target.
  ///   - isLast: `true` if a stop follows; `false` if the next message follows after a repeated start.
  /// - Returns: the failure, after which the transfer has ended; `nil` if the target acknowledged everything.
  package func write(
    _ bytes: some Collection<UInt8>, to address: I2CAddress, isLast: Bool
  ) -> I2CError.Kind? {
    if let failure = begin(address, .write, count: bytes.count, first: bytes.first) {
      return failure
    }
    for byte in bytes {
      if let failure = step(wire.write(byte, at: now)) { return failure }
    }
    return isLast ? stop() : settled()
  }

  /// Sends a message that reads bytes.
  ///
  /// - Parameters:
  ///   - count: the number of bytes.
  ///   - address: the address of the target.
  ///   - isLast: `true` if a stop follows; `false` if the next message follows after a repeated start.
  ///   - bytes: receives the bytes read.
  /// - Returns: the failure, after which the transfer has ended; `nil` if all bytes were read.
  package func read(
    _ count: Int, from address: I2CAddress, isLast: Bool, into bytes: inout [UInt8]
  ) -> I2CError.Kind? {
    if let failure = begin(address, .read, count: count, first: nil) { return failure }
    for index in 0..<count {
      let reply = wire.read(acknowledging: index < count - 1, at: now)
      if let failure = step(reply) { return failure }
      bytes.append(reply.byte)
    }
    return isLast ? stop() : settled()
  }

  /// Lets time pass on the bus before the next step.
  package func pause(nanoseconds: UInt64) {
    guard nanoseconds > 0 else { return }
    end = now + nanoseconds
    settled()
  }

  /// Ends the open transfer with a stop; without one, the call has no effect.
  ///
  /// - Returns: the failure of a real adapter, which makes its transfer only now.
  @discardableResult
  package func stop() -> I2CError.Kind? {
    guard isOpen else { return nil }
    isOpen = false
    let reply = wire.stop(at: now)
    end = max(end, reply.end)
    settled()
    return reply.failure
  }

  private var now: UInt64 { max(end, clock.nanoseconds) }

  private func begin(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, count: Int, first: UInt8?
  ) -> I2CError.Kind? {
    isOpen = true
    return step(
      wire.start(address, direction, plan: I2CWirePlan(count: count, first: first), at: now))
  }

  /// Completes a step; a failed one ends the transfer.
  private func step(_ reply: I2CWireReply) -> I2CError.Kind? {
    end = max(end, reply.end)
    if reply.failure != nil { stop() }
    return reply.failure
  }

  /// Waits until all steps so far have left the wire.
  @discardableResult
  private func settled() -> I2CError.Kind? {
    let now = clock.nanoseconds
    if end > now { clock.wait(nanoseconds: end - now) }
    settle()
    return nil
  }
}

/// A message of a client that breaks the rules of its protocol; the connection is closed.
package struct ProtocolError: Error, Hashable, CustomStringConvertible {
  /// The reason, for a message that begins with the name of the transport.
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The byte order of a protocol's integers.
enum ByteOrder {
  case little
  case big
}

extension [UInt8] {
  /// Appends an integer.
  mutating func append<Value: FixedWidthInteger>(_ value: Value, _ order: ByteOrder) {
    var ordered = order == .little ? value.littleEndian : value.bigEndian
    Swift.withUnsafeBytes(of: &ordered) { append(contentsOf: $0) }
  }

  /// Appends a text, filled with zero bytes to a length.
  mutating func append(_ text: String, length: Int) {
    let bytes = text.utf8.prefix(length)
    append(contentsOf: bytes)
    append(contentsOf: repeatElement(0, count: length - bytes.count))
  }
}

extension RandomAccessCollection<UInt8> where Index == Int {
  /// Returns the integer at an offset from the start.
  ///
  /// - Precondition: the collection holds all of its bytes.
  func integer<Value: FixedWidthInteger>(
    at offset: Int, _ order: ByteOrder, as: Value.Type = Value.self
  ) -> Value {
    var value: Value = 0
    let size = MemoryLayout<Value>.size
    for index in 0..<size {
      let byte = self[startIndex + offset + (order == .big ? index : size - 1 - index)]
      value = (size > 1 ? value << 8 : 0) | Value(truncatingIfNeeded: byte)
    }
    return value
  }
}
