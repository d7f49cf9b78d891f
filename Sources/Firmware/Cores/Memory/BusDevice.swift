/// What answers at addresses that are not plain memory: a peripheral's registers.
///
/// A core calls it for each access, on the thread that runs the core. Registers are read and written in the
/// width that the program used: 1, 2 or 4 bytes, little endian.
package protocol BusDevice: AnyObject {
  /// Reads a register.
  ///
  /// - Parameters:
  ///   - offset: the address, counted from the device's first.
  ///   - bytes: how many: 1, 2 or 4.
  /// - Returns: what is there, or `nil` for a bus error.
  func read(_ offset: UInt32, bytes: UInt32) -> UInt32?

  /// Writes a register.
  ///
  /// - Parameters:
  ///   - offset: the address, counted from the device's first.
  ///   - value: what is written, in its lowest bits.
  ///   - bytes: how many: 1, 2 or 4.
  /// - Returns: whether the device took it; `false` is a bus error.
  func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool
}
