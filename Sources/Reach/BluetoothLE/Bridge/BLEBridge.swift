import Files
import Glibc
import RadioPrograms
import Text

/// Radios of a real Bluetooth stack: Bumble, in a process of its own that ends with this one.
///
/// Virtual radios of one bridge hear each other as real frames of HCI, L2CAP and ATT go between them; a radio on a transport is a real
/// one. Their time is the machine's.
public final class BLEBridge {
  /// Why there is no bridge, or no radio.
  public struct BridgeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed, on what, why, and what to try.
    public let description: String
  }

  /// The process of the bridge, for who has to end it at a bad moment.
  public var process: Int32 { program.process }

  let program: RadioProgram
  private let start: UInt64
  private var radios: [Int: Held] = [:]
  private var count = 0
  private var end: String?

  /// A radio, which is whoever uses it's.
  private struct Held {
    weak var radio: BridgeRadio?
  }

  /// Starts a bridge.
  ///
  /// - Parameter command: the program and its arguments; the environment's ANEROID_BLE, or the module that is found about this program, unless given.
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
  ///   - address: who it is to others.
  ///   - transport: `virtual`, or an HCI transport of Bumble: `usb:0`, `hci-socket:0`, `tcp-client:127.0.0.1:6402` ...
  /// - Returns: the radio, ready.
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

  /// Lets other programs hear the virtual radios: a controller whose HCI they reach on a transport such as `tcp-server:127.0.0.1:6402`.
  ///
  /// - Parameters:
  ///   - transport: where they reach it.
  ///   - radio: a radio, which tells the outcome.
  /// - Returns: the number of the event that tells the outcome.
  @discardableResult
  public func expose(on transport: String, telling radio: BridgeRadio) -> Int {
    program.tell("expose", radio: radio.number, [("transport", .string(transport))])
  }

  /// The time of its radios, in nanoseconds since its start.
  var nanoseconds: UInt64 { Self.monotonic() - start }

  /// Hands the next line to its radio, if one comes until a time.
  ///
  /// - Returns: whether one came.
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
      radio.tell(BLEEvent(at: time - min(start, time), kind))
    } catch {
      end = "\(error)"
      for radio in radios.sorted(by: { $0.key < $1.key }).compactMap(\.value.radio) {
        radio.tell(BLEEvent(at: nanoseconds, .gone("\(error)")))
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
  /// Who it is to others.
  public let address: BLEAddress
  /// Is given each event as it happens; where it is `nil` events wait for ``next(by:)``.
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

  /// The time since the bridge's start, in nanoseconds.
  public var nanoseconds: UInt64 { bridge.nanoseconds }

  /// Tells it what to do.
  @discardableResult
  public func send(_ command: BLECommand) -> Int {
    let (word, fields) = command.line
    return bridge.program.tell(word, radio: number, fields)
  }

  /// Takes the power of a virtual radio: it advertises no more, and who is connected with it finds out as if it were out of reach.
  ///
  /// It is there again when it advertises again; a radio on a transport is not touched.
  public func unplug() { bridge.program.tell("unplug", radio: number) }

  /// The next event; events of the bridge's other radios are handed to those meanwhile.
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

  func tell(_ event: BLEEvent) {
    if let handler { handler(event) } else { inbox.append(event) }
  }
}
