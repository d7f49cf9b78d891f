import Chips
import I2C
package import Schema

extension RigSchema {
  /// The most parts of a fleet.
  package static let mostParts = 100_000

  /// Many parts that are alike.
  package static let fleet = Section(
    "Many parts that are alike, each with its own seed, on buses of their own.",
    [
      .required("count", .integer(1...mostParts), "how many parts"),
      .required(
        "template", template, "what each of them is: the keys of a device, but for its address",
        describedAt: "buses: devices"),
      .optional(
        "name", .text, "what they are called, before a number from 1 on; 'part' unless given"),
      .optional(
        "addresses", .list(.anyAddress),
        "the addresses that are taken on each bus, in order, any as behind address translators; "
          + "those of the model unless given"),
      .optional(
        "first_bus", busNumber,
        "the number of the first of its buses; after the rig's other buses unless given"),
      .optional(
        "adapter", .section(adapter),
        "the adapter of each of its buses; default: \(I2CBusFrequency.standardText), no limits",
        describedAt: "buses: adapter"),
    ])

  /// A device without its address: the fleet gives each part one.
  private static let template: Shape = {
    guard case .variants(let discriminator, let models) = device else { return device }
    return .variants(
      discriminator: discriminator,
      models.mapValues { model in
        Section(
          "A sensor of a fleet; its model says which chip it is.",
          model.fields.filter { $0.name != "address" })
      })
  }()
}
