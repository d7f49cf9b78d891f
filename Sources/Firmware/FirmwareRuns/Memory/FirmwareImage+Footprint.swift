import Images

extension FirmwareImage {
  /// Where it has variables in the RAM, none over another; empty where it does not say.
  func variables(in profile: MemoryProfile) -> [Range<UInt64>] {
    guard form == .elf else { return [] }
    let loaded = profile.architecture == .arm ? segments.map(\.range) : []
    var found: [Range<UInt64>] = []
    let all = (reserved + loaded).filter { profile.ram.contains($0.lowerBound) }
    for range in all.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = found.last, last.upperBound >= range.lowerBound {
        found[found.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        found.append(range)
      }
    }
    return found
  }

  /// The bytes of RAM that it wants for its variables; `nil` where it does not say.
  func variableBytes(in profile: MemoryProfile) -> Int? {
    guard form == .elf else { return nil }
    return variables(in: profile).reduce(0) { $0 + $1.count }
  }

  /// The bytes that it fills of the flash.
  func flashBytes(in profile: MemoryProfile) -> Int {
    segments.filter { profile.flash.contains($0.range.lowerBound) }.reduce(0) {
      $0 + $1.bytes.count
    }
  }
}
