/// A memory of which firmware takes some.
package enum FirmwareMemory: String, Hashable, Sendable, CaseIterable {
  /// What the image fills.
  case flash
  /// What it wants for its variables.
  case ram
  /// How deep its stack goes.
  case stack
}
