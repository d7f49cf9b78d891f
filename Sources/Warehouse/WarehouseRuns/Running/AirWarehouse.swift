/// A warehouse in virtual time, read and not yet run.
public struct AirWarehouse {
  let rig: WarehouseRig
  let lines: EventLines

  /// Runs it.
  ///
  /// - Returns: the exit status: 0 where all expectations were met, 1 where not.
  public func run() -> Int32 {
    let passed = WarehouseRun(rig, tell: lines.take).run()
    lines.end()
    return passed ? 0 : 1
  }
}
