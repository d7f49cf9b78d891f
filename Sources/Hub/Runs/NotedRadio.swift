import BluetoothLE

/// The radio of a tag, which notes what the tag told.
final class NotedRadio: BLERadio {
  let radio: BridgeRadio
  /// The bytes of each value that it told, as often as it told them.
  private(set) var told: [[UInt8]: Int] = [:]

  init(_ radio: BridgeRadio) { self.radio = radio }

  var address: BLEAddress { radio.address }
  var nanoseconds: UInt64 { radio.nanoseconds }
  var handler: ((BLEEvent) -> Void)? {
    get { radio.handler }
    set { radio.handler = newValue }
  }

  @discardableResult
  func send(_ command: BLECommand) -> Int {
    if case .notify(let value, _, _) = command { told[value, default: 0] += 1 }
    return radio.send(command)
  }

  func next(by time: UInt64) -> BLEEvent? { radio.next(by: time) }
}
