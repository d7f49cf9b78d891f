/// The descriptors by which clients hold what the interposer gave them.
///
/// They are high, so that a filter tells them by their numbers, and each number is given to one
/// process only, so that copies by `fork` mean the same. What a descriptor really is, its socket
/// tells: a client may have closed it and put something else in its place.
struct DeviceSlots {
  /// What stands behind a number.
  enum Slot {
    case device(socket: UInt64)
    case directory(OpenDirectory)
  }

  /// The numbers.
  let numbers: Range<Int>
  private var slots: [Slot?]
  private var next = 0
  private(set) var devices: [UInt64: OpenDevice] = [:]

  init(numbers: Range<Int>) {
    self.numbers = numbers
    slots = Array(repeating: nil, count: numbers.count)
  }

  /// A free number, not one that was free only just now if there is another.
  mutating func free() -> Int? {
    for step in 0..<slots.count {
      let index = (next + step) % slots.count
      guard slots[index] == nil else { continue }
      next = index + 1
      return numbers.lowerBound + index
    }
    return nil
  }

  /// What stands behind a number, or nothing.
  subscript(_ number: Int) -> Slot? {
    get { numbers.contains(number) ? slots[number - numbers.lowerBound] : nil }
    set { slots[number - numbers.lowerBound] = newValue }
  }

  /// Remembers that a socket stands for a device.
  mutating func add(_ socket: UInt64, _ device: OpenDevice) {
    devices[socket] = device
  }

  /// Forgets a socket whose last copy has been closed, and the numbers that it had.
  mutating func remove(_ socket: UInt64) {
    devices[socket] = nil
    for index in slots.indices {
      if case .device(socket) = slots[index] { slots[index] = nil }
    }
  }

  /// The directories and their numbers.
  var directories: [(number: Int, directory: OpenDirectory)] {
    slots.enumerated().compactMap { index, slot in
      guard case .directory(let directory) = slot else { return nil }
      return (numbers.lowerBound + index, directory)
    }
  }
}
