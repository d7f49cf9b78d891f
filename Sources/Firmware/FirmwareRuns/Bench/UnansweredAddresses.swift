import I2C
import I2CTrace

/// The addresses of a bus that a program has used without an answer, until any transfer on it succeeds.
struct UnansweredAddresses {
  /// The most that are named: a program that uses more of them scans the bus.
  private static let most = 4
  /// The addresses, in the order in which they came first.
  private(set) var addresses: [UInt16] = []
  /// Whether a transfer has succeeded, or a scan was seen.
  private var isSettled = false

  /// Notes a transfer.
  mutating func note(_ transfer: TracedTransfer) {
    guard !isSettled else { return }
    guard let error = transfer.error else { return settle() }
    guard error.kind == .addressNack, let address = transfer.messages.first?.segment.address,
      !addresses.contains(address.rawValue)
    else { return }
    addresses.append(address.rawValue)
    if addresses.count > Self.most { settle() }
  }

  private mutating func settle() {
    addresses = []
    isSettled = true
  }

  /// Makes the hint for the end of the run.
  ///
  /// - Parameters:
  ///   - bus: N of the bus.
  ///   - parts: the parts on it, with their addresses.
  /// - Returns: the hint; `nil` if something answered, or if no part is on the bus.
  func notice(bus: Int, parts: [String]) -> String? {
    guard !addresses.isEmpty, !parts.isEmpty else { return nil }
    let used = addresses.map { "0x" + String($0, radix: 16) }.joined(separator: ", ")
    return
      "nothing answered on bus \(bus) at \(used), and the program used no other address; on the bus: "
      + "\(parts.joined(separator: ", ")); change the address in the program, or that of the part (--address, or "
      + "'address' in a rig)"
  }
}
