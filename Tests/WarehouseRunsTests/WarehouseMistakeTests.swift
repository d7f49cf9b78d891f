import TestSupport
import Testing
import WarehouseRuns

/// Errors in a warehouse rig are reported with their source location and a suggestion.
struct WarehouseMistakeTests {
  @Test(
    "an error in a warehouse rig is reported with its line and column",
    arguments: [
      ("high: 65%", "hihg: 65%", "RIG:13:31: error: unknown key"),
      (
        "zone: shelves}", "zone: attic}",
        "RIG:34:29: error: the tag 'shelf 1' is in the unknown zone 'attic'"
      ),
      ("hysteresis: 2%", "hysteresis: 2", "needs a unit"),
      ("name: shelf 2", "name: shelf 1", "there are two tags 'shelf 1'"),
      ("tag: shelf 1, at: 10h", "tag: shelf 9, at: 10h", "unknown tag 'shelf 9'"),
      ("kind: cc2541", "kind: cc2640", "'cc2640' is not one of cc2650, cc2541"),
      (
        "{at: 8h, humidity: 59.95%}", "{at: 0s, humidity: 59.95%}",
        "the time must be later than that of the previous point"
      ),
      ("zone: shelves, kept", "zone: shelfs, kept", "unknown zone 'shelfs'"),
      (
        "escalate: 15min", "escalate: 0s",
        "RIG:39:40: error: 'escalate' must be greater than 0"
      ),
    ])
  func told(_ right: String, _ wrong: String, _ message: String) throws {
    let text = try WarehouseRigTests.text("article")
    #expect(text.contains(right))
    let result = try WarehouseRigTests.run(text.replacing(right, with: wrong, maxReplacements: 1))
    #expect(result.status == 78)
    #expect(result.output.contains(message), "\(result.output)")
    #expect(!result.output.contains("RAISED"))
  }

  @Test("a missing file and a file that is not a warehouse rig are reported")
  func noFile() throws {
    let output = Output()
    #expect(
      WarehouseProgram.run(path: "/no/such.yaml", write: output.write, complain: output.write) == 66
    )
    #expect(try WarehouseRigTests.run("- 1\n- 2\n").status == 78)
    #expect(try WarehouseRigTests.run("name: x\n").status == 78)
  }
}
