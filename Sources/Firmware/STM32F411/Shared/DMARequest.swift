/// Who asks a stream for a transfer.
enum DMARequest: Hashable {
  case converter
  case wireIn(Int), wireOut(Int)
  case lineIn(Int), lineOut(Int)
  case shiftIn(Int), shiftOut(Int)

  /// Who asks stream by stream, by controller, stream and channel (RM0383, tables 27 and 28).
  ///
  /// What timers, I2S and SDIO ask for is not there.
  static let table: [[[Int: DMARequest]]] = [
    [
      [0: .shiftIn(3), 1: .wireIn(1)],
      [0: .wireOut(1), 1: .wireIn(3)],
      [0: .shiftIn(3), 3: .wireIn(3), 7: .wireIn(2)],
      [0: .shiftIn(2), 7: .wireIn(2)],
      [0: .shiftOut(2), 3: .wireOut(3)],
      [0: .shiftOut(3), 1: .wireIn(1), 4: .lineIn(2), 6: .wireOut(3)],
      [1: .wireOut(1), 4: .lineOut(2)],
      [0: .shiftOut(3), 1: .wireOut(1), 7: .wireOut(2)],
    ],
    [
      [0: .converter, 3: .shiftIn(1), 4: .shiftIn(4)],
      [4: .shiftOut(4), 5: .lineIn(6)],
      [3: .shiftIn(1), 4: .lineIn(1), 5: .lineIn(6)],
      [2: .shiftIn(5), 3: .shiftOut(1), 5: .shiftIn(4)],
      [0: .converter, 2: .shiftOut(5), 5: .shiftOut(4)],
      [3: .shiftOut(1), 4: .lineIn(1), 7: .shiftIn(5)],
      [5: .lineOut(6), 7: .shiftOut(5)],
      [4: .lineOut(1), 5: .lineOut(6)],
    ],
  ]
}

/// What moves bytes for peripherals that ask.
protocol DMARequests: AnyObject {
  /// A peripheral asks, as long as it has or wants a byte, or asks no more.
  func set(_ request: DMARequest, _ isActive: Bool)

  /// How many transfers the stream that serves a request has left; `nil` where none does.
  func left(_ request: DMARequest) -> UInt32?
}
