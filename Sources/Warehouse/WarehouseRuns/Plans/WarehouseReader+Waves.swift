import BluetoothLE
import Schema

extension WarehouseReader {
  /// How radio waves behave.
  func waves(_ link: CheckedValue?) -> BLEAir.Options {
    var options = BLEAir.Options()
    options.loss = link?["loss"]?.number ?? options.loss
    options.fading = link?["fading"]?.number ?? options.fading
    if let range = link?["range"]?.number { options.reach(range) }
    return options
  }

  /// A place: along the hall, across it, and above its floor where that is given.
  mutating func place(_ value: CheckedValue?) -> BLEPlace {
    let lengths = value?.list.compactMap(\.number) ?? []
    guard let value else { return BLEPlace() }
    guard (2...3).contains(lengths.count) else {
      checker.note(
        "at: a place has two lengths, along the hall and across it, or three: [2m, 3.5m]",
        at: value.position)
      return BLEPlace()
    }
    return BLEPlace(x: lengths[0], y: lengths[1], z: lengths.count > 2 ? lengths[2] : 0)
  }
}
