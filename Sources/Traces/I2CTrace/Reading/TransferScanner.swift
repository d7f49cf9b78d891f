import I2C

/// Scans a transfer whose keys stand in the canonical order; anything else is left to general JSON.
struct TransferScanner {
  private let bytes: ArraySlice<UInt8>
  private var next: Int

  /// The transfer of a line, or `nil` if the line is not canonical.
  static func scan(_ line: ArraySlice<UInt8>, onlyBus: Int?) -> TracedTransfer? {
    var scanner = TransferScanner(bytes: line, next: line.startIndex)
    return scanner.transfer(onlyBus: onlyBus)
  }

  private mutating func transfer(onlyBus: Int?) -> TracedTransfer? {
    guard take("{\"t\":"), let time = number(), take(",\"d\":"), let duration = number() else {
      return nil
    }
    var bus = onlyBus
    if take(",\"b\":") {
      guard let number = number(), number <= I2CBusNumber.all.upperBound else { return nil }
      bus = Int(number)
    }
    guard let bus, take(",\"a\":"), let address = address(), take(",\"m\":[") else { return nil }
    var messages: [TracedMessage] = []
    repeat {
      guard let message = message(address) else { return nil }
      messages.append(message)
    } while take(",")
    guard take("]}"), next == bytes.endIndex else { return nil }
    return TracedTransfer(time: time, duration: duration, bus: bus, messages: messages)
  }

  private mutating func message(_ address: I2CAddress) -> TracedMessage? {
    let isWrite = take("{\"w\":\"")
    guard isWrite || take("{\"r\":\""), let data = hexadecimal(), take("\"}") else { return nil }
    return TracedMessage(
      I2CSegment(address: address, direction: isWrite ? .write : .read, count: data.count), data)
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.endIndex - next >= count else { return false }
    for index in 0..<count where bytes[next + index] != text.utf8Start[index] { return false }
    next += count
    return true
  }

  /// A whole number of at most 64 bits.
  private mutating func number() -> UInt64? {
    var value: UInt64 = 0
    let start = next
    while next < bytes.endIndex, case let digit = bytes[next] &- UInt8(ascii: "0"), digit < 10 {
      if next - start < 19 {
        value = value * 10 + UInt64(digit)
      } else {
        // Only the last digits can be too many.
        let (product, isTooMuch) = value.multipliedReportingOverflow(by: 10)
        let (sum, isTooLarge) = product.addingReportingOverflow(UInt64(digit))
        guard !isTooMuch, !isTooLarge else { return nil }
        value = sum
      }
      next += 1
    }
    return next > start ? value : nil
  }

  private mutating func address() -> I2CAddress? {
    guard take("\"0x") else { return nil }
    var value: UInt16 = 0
    let start = next
    while next < bytes.endIndex, let digit = digit(bytes[next]) {
      guard next - start < 3 else { return nil }
      value = value << 4 | UInt16(digit)
      next += 1
    }
    return next > start && take("\"") ? I2CAddress(rawValue: value) : nil
  }

  private mutating func hexadecimal() -> [UInt8]? {
    var data: [UInt8] = []
    while next + 1 < bytes.endIndex, let high = digit(bytes[next]) {
      guard let low = digit(bytes[next + 1]) else { return nil }
      data.append(high << 4 | low)
      next += 2
    }
    return data
  }

  private func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
