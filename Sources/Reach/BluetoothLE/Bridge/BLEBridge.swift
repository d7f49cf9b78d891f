import Bridges
import Glibc
import Support

/// Provides radios of a real Bluetooth stack, Bumble, which runs in a child process.
///
/// Virtual radios of one bridge exchange real HCI, L2CAP and ATT frames; a radio on a transport is hardware. The radios
/// use the machine's clock.
public final class BLEBridge {
  /// The failure to start a bridge or open a radio.
  public struct BridgeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation, its subject, the cause and the remedy.
    public let description: String
  }

  /// The process ID of the bridge, for tests that kill it.
  public var process: Int32 { program.process }

  let program: RadioProgram
  private let start: UInt64
  private var radios: [Int: Held] = [:]
  private var count = 0
  private var end: String?

  /// A weak reference to a radio, which is owned by its user.
  private struct Held {
    weak var radio: BridgeRadio?
  }

  /// Starts a bridge.
  ///
  /// - Parameter command: the program and its arguments. Default: the words of the environment variable ANEROID_BLE, or
  ///   the Python module found relative to this program.
  /// - Throws: ``BridgeError``.
  public init(command: [String]? = nil) throws(BridgeError) {
    do throws(Failure) {
      program = try RadioProgram(command.map { BridgeCommand($0) } ?? .found)
    } catch {
      throw BridgeError(description: "\(error)")
    }
    start = Self.monotonic()
  }

  /// Opens a radio.
  ///
  /// - Parameters:
  ///   - address: the radio's address.
  ///   - transport: `virtual`, or an HCI transport of Bumble: `usb:0`, `hci-socket:0`, `tcp-client:127.0.0.1:6402` ...
  ///     Default: `virtual`.
  /// - Returns: the radio, ready for commands.
  /// - Throws: ``BridgeError``.
  public func radio(
    _ address: BLEAddress, transport: String = "virtual"
  ) throws(BridgeError) -> BridgeRadio {
    let number = count
    count += 1
    do throws(Failure) {
      try program.open(radio: number, address: "\(address)", transport: transport)
    } catch {
      throw BridgeError(description: "\(error)")
    }
    let radio = BridgeRadio(address, number, of: self)
    radios[number] = Held(radio: radio)
    return radio
  }

  /// Gives other programs access to a virtual controller in range of the virtual radios, over HCI on a transport such
  /// as `tcp-server:127.0.0.1:6402`.
  ///
  /// - Parameters:
  ///   - transport: the transport on which to listen.
  ///   - radio: the radio that emits the result of this call as an event.
  /// - Returns: the command number in the result event.
  @discardableResult
  public func expose(on transport: String, telling radio: BridgeRadio) -> Int {
    program.send("expose", radio: radio.number, [("transport", .string(transport))])
  }

  /// The time of the bridge's radios, in nanoseconds since the bridge was started.
  var nanoseconds: UInt64 { Self.monotonic() - start }

  /// Delivers the next event to its radio, if one arrives before a time.
  ///
  /// - Returns: `false` if no event arrived.
  func step(by time: UInt64) -> Bool {
    guard end == nil else { return false }
    let now = nanoseconds
    let wait = time > now ? min((time - now + 999_999) / 1_000_000, 1_000_000_000) : 0
    do throws(Failure) {
      guard let line = try program.next(milliseconds: Int32(wait)) else { return false }
      guard let radio = line["radio"]?.whole(Int.self).flatMap({ radios[$0]?.radio }),
        let kind = BLEEvent.Kind(line)
      else { return true }
      let time = line["t"]?.whole(UInt64.self) ?? start
      radio.emit(BLEEvent(at: time - min(start, time), kind))
    } catch {
      end = "\(error)"
      for radio in radios.sorted(by: { $0.key < $1.key }).compactMap(\.value.radio) {
        radio.emit(BLEEvent(at: nanoseconds, .gone("\(error)")))
      }
    }
    return true
  }

  private static func monotonic() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// A radio of a bridge.
public final class BridgeRadio: BLERadio {
  /// The address of the radio.
  public let address: BLEAddress
  /// Called for each event as it occurs; if `nil`, events are queued for `next(by:)`.
  public var handler: ((BLEEvent) -> Void)?
  let number: Int
  private let bridge: BLEBridge
  private var inbox: [BLEEvent] = []
  private var read = 0

  init(_ address: BLEAddress, _ number: Int, of bridge: BLEBridge) {
    self.address = address
    self.number = number
    self.bridge = bridge
  }

  /// The time since the start of the bridge, in nanoseconds.
  public var nanoseconds: UInt64 { bridge.nanoseconds }

  /// Sends a command.
  @discardableResult
  public func send(_ command: BLECommand) -> Int {
    let (word, fields) = command.line
    return bridge.program.send(word, radio: number, fields)
  }

  /// Removes the power of a virtual radio: it stops advertising, and its connections end as if it were out of range.
  ///
  /// The radio has power again when it advertises again. A radio on a transport is not affected.
  public func unplug() { bridge.program.send("unplug", radio: number) }

  /// Returns the next event, and delivers the events of the bridge's other radios while waiting.
  public func next(by time: UInt64) -> BLEEvent? {
    while read == inbox.count {
      guard bridge.step(by: time) else { return nil }
    }
    defer {
      read += 1
      if read == inbox.count {
        inbox.removeAll(keepingCapacity: true)
        read = 0
      }
    }
    return inbox[read]
  }

  func emit(_ event: BLEEvent) {
    if let handler { handler(event) } else { inbox.append(event) }
  }
}
