import Environment
import Warehouse

extension StackPlan.Tag {
  /// A tag of each kind, in air of 21 °C and 50 %.
  public static var examples: [StackPlan.Tag] {
    func constant(_ value: Double) -> Profile {
      Profile([Profile.Point(time: 0, value: value)], interpolation: .linear)
    }
    let air = StackAir(
      course: WarehouseRig.Course(temperature: constant(21), humidity: constant(50)), warmer: 0,
      wetter: 0)
    // Static random addresses: their two highest bits are set.
    return TagCatalogue.all.enumerated().map { place, kind in
      StackPlan.Tag(
        address: "C4:BE:84:70:00:0\(place + 1)", kind: kind.name, battery: 100,
        seed: UInt64(place), air: air)
    }
  }
}
