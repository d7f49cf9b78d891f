import Chips
import Parts

/// The parts of the catalogue as help texts speak of them.
enum PartNames {
  /// The part on the bus that is there without a rig, and where it answers: "a BME280 at 0x76".
  static var usual: String {
    let model = Catalogue.models[0]
    return "\(model.titleWithArticle) at \(model.addresses[0])"
  }

  /// How a single reading measures, a phrase for each family that has something to say.
  static var readings: String {
    Catalogue.families.compactMap { model in
      let relatives = Catalogue.models.filter { $0.family == model.family }
      let names =
        relatives.prefix(1).map(\.titleWithArticle) + relatives.dropFirst().map(\.title)
      return model.readingSummary.map { "\(names.joined(separator: " or ")) \($0)" }
    }.joined(separator: "; ").capitalizedAtStart
  }
}

extension String {
  /// The same, its first letter a capital.
  fileprivate var capitalizedAtStart: String { prefix(1).uppercased() + dropFirst() }
}
