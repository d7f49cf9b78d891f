package import Files

extension FirmwareImage {
  /// Checks an image against a microcontroller.
  ///
  /// - Parameters:
  ///   - profile: its memories.
  ///   - isGuess: whether the image may be for another one.
  /// - Returns: the beginning of the program.
  /// - Throws: `Failure` (65) when it is for another processor, does not fit into the memories, or has no
  ///   vector table.
  package func fitted(
    to profile: MemoryProfile, isGuess: Bool = false
  ) throws(Failure) -> VectorTable {
    do throws(ImageProblem) {
      try checkProcessor(profile)
      try checkMemories(profile)
      return try VectorTable(of: self, in: profile, isGuess: isGuess)
    } catch {
      throw failure(error.message)
    }
  }

  /// Chooses the microcontroller that an image is for.
  ///
  /// - Parameter profiles: those that there are.
  /// - Returns: the only one to which it fits.
  /// - Throws: `Failure` when it fits to none, with why, or to several.
  package func guessed(among profiles: [MemoryProfile]) throws(Failure) -> MemoryProfile {
    if let name = needs.name, let named = profiles.first(where: { $0.name == name }) {
      return named
    }
    var fitting: [MemoryProfile] = []
    var reasons: [String] = []
    for profile in profiles {
      do throws(Failure) {
        _ = try fitted(to: profile, isGuess: true)
        fitting.append(profile)
      } catch {
        reasons.append("\(profile.name): " + error.messages[0].dropFirst(path.count + 2))
      }
    }
    if fitting.count == 1 { return fitting[0] }
    // A stack that begins at the very end of a RAM tells which of several it is.
    let exact = fitting.filter { profile in
      (try? fitted(to: profile))?.stack.map { UInt64($0) == profile.ram.upperBound } ?? false
    }
    if exact.count == 1 { return exact[0] }
    guard !fitting.isEmpty else {
      throw Failure(
        .badContent, ["\(path): it fits to no microcontroller that there is"] + reasons)
    }
    throw failure(
      "it may be for each of \(fitting.map(\.name).joined(separator: ", ")): say --mcu")
  }

  private func checkProcessor(_ profile: MemoryProfile) throws(ImageProblem) {
    if let architecture, architecture != profile.architecture {
      throw ImageProblem(
        "it is for \(architecture.shown), and \(profile.name) is \(profile.architecture.shown)")
    }
    if needs.hasHardFloat, !profile.hasFloat {
      throw ImageProblem("it needs an FPU, and \(profile.name) has none")
    }
    if needs.isBeyondBaseline, profile.isBaseline {
      throw ImageProblem("it needs ARMv7-M, and \(profile.name) is an ARMv6-M")
    }
    if let family = needs.avrFamily, let own = profile.avrFamily, family != own {
      throw ImageProblem("it is for AVRs of family \(family), and \(profile.name) is of \(own)")
    }
  }

  private func checkMemories(_ profile: MemoryProfile) throws(ImageProblem) {
    var places = [profile.flash] + profile.others
    if profile.architecture == .arm { places.append(profile.ram) }
    for segment in segments {
      let range = segment.range
      guard let place = places.first(where: { $0.contains(range.lowerBound) }) else {
        throw ImageProblem("\(profile.name) has no memory at its segment \(range.shown)")
      }
      guard range.upperBound <= place.upperBound else {
        let name = place == profile.flash ? "flash" : place == profile.ram ? "RAM" : "memory"
        throw ImageProblem(
          "it is larger than the \(name) of \(profile.name): its segment is \(range.shown), the "
            + "\(name) \(place.shown) (\(place.count) bytes)")
      }
    }
    if let last = eeprom.last, last.range.upperBound > UInt64(profile.eeprom) {
      throw ImageProblem(
        "it is larger than the EEPROM of \(profile.name): \(last.range.upperBound) bytes of "
          + "\(profile.eeprom)")
    }
    for range in reserved where profile.ram.contains(range.lowerBound) {
      guard range.upperBound <= profile.ram.upperBound else {
        throw ImageProblem(
          "its variables at \(range.shown) are more than the RAM of \(profile.name), "
            + profile.ram.shown)
      }
    }
  }
}

extension FirmwareImage.Architecture {
  /// The name as people write it.
  package var shown: String { self == .arm ? "an ARM" : "an AVR" }
}
