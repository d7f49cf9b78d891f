import Files
import Text

/// Runs the file of a warehouse, for a command line.
public enum WarehouseProgram {
  /// Runs a rig that is a warehouse in virtual time.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - seed: instead of that of the file; `nil` for that.
  ///   - format: how it is told.
  ///   - write: takes what goes to the standard output, with its line ends.
  ///   - complain: takes messages, a line each.
  /// - Returns: the exit status: 0 where all expectations were met, 1 where not, 78 for a mistake in the file, and so on.
  public static func run(
    path: String, seed: UInt64? = nil, format: WarehouseFormat = .text,
    write: @escaping (String) -> Void, complain: (String) -> Void
  ) -> Int32 {
    do throws(Failure) {
      var rig = try WarehouseRig(path: path)
      if let seed { rig.seed = seed }
      return AirWarehouse(rig: rig, lines: EventLines(format, write)).run()
    } catch {
      for message in error.messages { complain(message) }
      return error.exitStatus
    }
  }

  /// Finds every mistake in a rig that is a warehouse, and in the tables that it names, without running it.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - write: takes a line that says what was looked at, with its line end.
  ///   - complain: takes messages, a line each.
  /// - Returns: the exit status: 0 where there is no mistake, 78 where there is one, and so on.
  public static func check(
    path: String, write: (String) -> Void, complain: (String) -> Void
  ) -> Int32 {
    do throws(Failure) {
      let rig = try WarehouseRig(path: path)
      let count = rig.tags.count
      write("\(path.visible): \(count) \(count == 1 ? "tag" : "tags"), no mistake\n")
      return 0
    } catch {
      for message in error.messages { complain(message) }
      return error.exitStatus
    }
  }

  /// The JSON Schema of such files, for editors.
  public static var schema: String { WarehouseKeys.schema }
}
