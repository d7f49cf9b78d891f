import Schema

extension WarehouseKeys {
  /// The JSON Schema of such files.
  static var schema: String {
    JSONSchema.document(
      of: rig, heading: "A warehouse", identifier: "urn:aneroid:warehouse-schema",
      title: "Aneroid warehouse"
    ) { _, _ in nil }
  }
}
