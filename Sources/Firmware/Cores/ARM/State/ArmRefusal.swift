/// Why a load or store that is not plain gives nothing, as a number below 0.
enum ArmRefusal {
  /// Nothing answers at the address.
  static let bus: Int64 = -1
  /// The MPU forbids it.
  static let protection: Int64 = -2
}
