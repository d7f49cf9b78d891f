import I2C
import Machines

/// Bytes in both directions, through DR and the shift register behind it.
extension TwoWire {
  /// A program's store into DR: the address behind a start, or a byte.
  func writeData(_ byte: UInt8) {
    if case .awaitsAddress = step {
      status &= ~Status.start
      direction = byte & 1 != 0 ? .read : .write
      (isFull, shifted) = (false, nil)
      status &= ~Status.received
      let address = I2CAddress(rawValue: UInt16(byte >> 1)) ?? 0
      reply = wire.start(address, direction, plan: I2CWirePlan(), at: time)
      return wait(.address, until: reply.end)
    }
    guard direction == .write else { return }
    data = byte
    status &= ~Status.finished
    switch step {
    case .held where status & (Status.address | Status.refused) == 0: send(byte)
    case .write, .held:
      isFull = true
      status &= ~Status.empty
    default: break
    }
  }

  func send(_ byte: UInt8) {
    isFull = false
    status |= Status.empty
    reply = wire.write(byte, at: time)
    wait(.write, until: reply.end)
  }

  func writeDidEnd() {
    guard !fails(reply.failure) else { return }
    if self[0x00] & Control.stop != 0 {
      end()
    } else if isFull, self[0x00] & Control.start == 0 {
      send(data)
    } else {
      // A start that was asked for meanwhile comes behind this byte, whatever stands in DR (RM0383, 18.3.3).
      status |= Status.finished
      step = .held
      goOn()
    }
  }

  /// Begins to receive a byte: eight clocks, until the acknowledge bit is asked for.
  func receive() {
    began = time
    wait(.read, until: time + 8_000_000_000 / wire.frequency)
  }

  /// The ninth clock: ACK counts for this byte, or with POS for the one behind it.
  func acknowledge() {
    // With LAST the byte that ends the transfer of the stream is not acknowledged.
    let endsTransfer =
      self[0x04] >> 11 & 3 == 3 && chip.requests?.left(.wireIn(number)) == (isFull ? 2 : 1)
    let asks = self[0x00] & Control.acknowledge != 0 && !endsTransfer
    let position = self[0x00] & Control.position != 0
    goesOn = position && isFirst ? true : asks
    isFirst = false
    reply = wire.read(acknowledging: goesOn, at: began)
    wait(.ninth, until: reply.end)
  }

  func readDidEnd() {
    guard !fails(reply.failure) else { return }
    if isFull {
      shifted = reply.byte
      status |= Status.finished
      step = .held
    } else {
      (data, isFull) = (reply.byte, true)
      status |= Status.received
      step = .held
      if goesOn, self[0x00] & (Control.stop | Control.start) == 0 { return receive() }
    }
    goOn()
  }

  /// A program's load of DR: what was received behind it moves up, and the next byte may come.
  func readData() -> UInt32 {
    guard direction == .read else { return UInt32(data) }
    let byte = data
    guard isFull else { return UInt32(byte) }
    if let next = shifted {
      (data, shifted) = (next, nil)
      status &= ~Status.finished
      if case .held = step, goesOn, self[0x00] & (Control.stop | Control.start) == 0 { receive() }
    } else {
      isFull = false
      status &= ~Status.received
    }
    refresh()
    return UInt32(byte)
  }
}
