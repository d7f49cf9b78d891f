import CInterposer
import Glibc

/// Calls that a bus has nothing for: answered as i2c-dev answers them, which is a character device without
/// positions, pages, data to keep or readiness to wait for.
extension Supervisor {
  /// Refuses a call that names a node, with 0 for a call that succeeds and does nothing.
  func refuse(_ call: Call, _ errno: Int32) -> Answer {
    guard case .descriptor(let arguments) = call.system.interest,
      arguments.contains(where: { device(call.int($0), call) != nil })
    else { return .pass }
    return errno == 0 ? .value(0) : .failure(errno)
  }

  /// `ioctl` with a request that is not of i2c-dev: some are of every file, the rest of no bus.
  func refuseRequest(_ request: UInt32) -> Answer {
    // FIONCLEX, FIOCLEX, FIONBIO, FIOASYNC, FIGETBSZ
    [0x5450, 0x5451, 0x5421, 0x5452, 2].contains(request) ? .pass : .failure(ENOTTY)
  }

  /// `io_submit`: Linux refuses it for a driver like i2c-dev, which reads and writes one buffer at a time.
  ///
  /// The structures lie in the caller's memory; the descriptor is at byte 20 of each.
  func submit(_ call: Call) -> Answer {
    guard !slots.devices.isEmpty else { return .pass }
    let memory = ProcessMemory(of: call, listener)
    for index in 0..<min(call[1], 1024) {
      guard let place = memory.word(call[2] &+ 8 * index),
        let descriptor = memory.bytes(place &+ 20, count: 4)
      else { return .pass }
      let number = descriptor.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      if device(Int32(bitPattern: number), call) != nil { return .failure(EINVAL) }
    }
    return .pass
  }

  /// `mount`: a node cannot be shown at another place.
  func mount(_ call: Call) -> Answer {
    if isAstray(call) { return .failure(ENOENT) }
    guard let text = find(call, directory: AT_FDCWD, path: call[0])?.text,
      let name = text.split(separator: "/").last, name.hasPrefix("i2c-"),
      let number = Int(name.dropFirst(4)), buses[number] != nil
    else { return .pass }
    tell(
      "\(ProgramName.of(call.thread)) wanted to mount /dev/i2c-\(number) (bwrap --dev-bind, say): there is no "
        + "such file to mount; leave it out, programs find the node there without it", about: -5)
    return .pass
  }
}
