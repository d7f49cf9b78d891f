/// Returns the bytes in a string of hexadecimal digits.
///
/// An invalid pair traps.
public func bytes(_ hexadecimal: some StringProtocol) -> [UInt8] {
  let digits = hexadecimal.compactMap(\.hexDigitValue)
  precondition(digits.count == hexadecimal.count && digits.count % 2 == 0, "odd hexadecimal")
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
