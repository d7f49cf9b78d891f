import Files

extension RunCommand {
  /// Starts the hub in place of this program where the rig is a warehouse.
  ///
  /// - Throws: the exit where an option was given that the hub does not know, or it cannot be started.
  func startWarehouse() throws {
    guard let rig = WarehouseFile.path(rig) else { return }
    let options = [
      ("--for", length != nil), ("--junit", junit != nil), ("--trace", trace != nil),
      ("--report", page != nil), ("--plots", plots != nil), ("--against", against != nil),
      ("--within", within != nil), ("--allow-run", allowRun), ("--allow-write", allowWrite),
    ]
    let unknown = options.filter(\.1).map(\.0)
    guard unknown.isEmpty else {
      throw StandardError.exit(
        Failure(
          .usage,
          "\(rig): is a warehouse, which is run by 'aneroid hub run'; that does not know "
            + "\(unknown.joined(separator: ", ")) (known: --seed, --format)"))
    }
    guard [.text, .json, .jsonl].contains(format) else {
      throw StandardError.exit(
        Failure(
          .usage,
          "\(rig): is a warehouse, which is run by 'aneroid hub run'; that does not know "
            + "--format \(format.rawValue) (known: text, json, jsonl)"))
    }
    let seed = seed.map { ["--seed", "\($0)"] } ?? []
    try CompanionProgram.hub.start(
      ["run"] + seed + ["--format", format.rawValue, "--", rig],
      because: "\(rig): is a warehouse, which the hub runs")
  }
}

extension RigCommand.Check {
  /// Starts the hub in place of this program where all the rigs are warehouses, and they are told as text.
  ///
  /// - Throws: the exit where it cannot be started.
  func startWarehouses() throws {
    let warehouses = rigs.compactMap(WarehouseFile.path)
    guard format == .text, warehouses.count == rigs.count, let first = warehouses.first else {
      return
    }
    try CompanionProgram.hub.start(
      ["check", "--"] + warehouses, because: "\(first): is a warehouse, which the hub checks")
  }

  /// Refuses a warehouse among other rigs.
  ///
  /// - Throws: ``Files/Failure`` that says what checks it.
  static func refuseWarehouse(_ word: String) throws(Failure) {
    guard let path = WarehouseFile.path(word) else { return }
    throw Failure(
      .usage,
      "\(path): is a warehouse, which was not checked; try 'aneroid hub check \(path)', for warehouses alone, as text"
    )
  }
}
