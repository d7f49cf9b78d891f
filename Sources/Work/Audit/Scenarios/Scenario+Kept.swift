package import Files

extension Scenario {
  /// What stands above each rig that an audit keeps.
  private static let mark =
    "# Written by 'aneroid audit', which writes it anew; keep changes elsewhere.\n"

  /// The rig as an audit keeps it.
  func keptRig(at place: Place) -> String { Self.mark + rig(at: place) }

  /// Checks that an audit into a folder replaces nothing but what an audit has written.
  ///
  /// - Parameters:
  ///   - scenarios: what runs.
  ///   - folder: where its rigs and traces are kept.
  /// - Throws: `Failure` of kind usage that names a file of somebody else.
  package static func check(_ scenarios: [Scenario], in folder: String) throws(Failure) {
    for scenario in scenarios {
      let (rig, trace) = ("\(folder)/\(scenario.name).yaml", "\(folder)/\(scenario.name).i2ctrace")
      let text = try? TextFile.read(rig)
      guard text?.hasPrefix(mark) != true,
        let file = [rig, trace].first(where: TextFile.exists)
      else { continue }
      throw Failure(
        .usage,
        "\(file): no audit has written this file, and it would be lost; choose another folder")
    }
  }
}
