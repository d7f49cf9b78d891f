import GRDB
import HubQueue
import Testing

@Suite("the record queue")
struct QueueTests {
  @Test("records keep their order and numbers after a restart, and no number is reused")
  func order() throws {
    let folder = Folder()
    let path = folder.path("queue.sqlite")
    do {
      let queue = try RecordQueue(path: path, hub: "north", receivers: ["mqtt"])
      let written = try queue.append((0..<5).map(Records.reading))
      #expect(written.map(\.sequence) == [1, 2, 3, 4, 5])
      try queue.acknowledge("mqtt", [1, 2, 3, 4, 5])
      #expect(try queue.keepLimits(now: 1_000_000_000_000_000_000).isEmpty)
      try queue.close()
    }
    let queue = try RecordQueue(path: path, hub: "north", receivers: ["mqtt"])
    #expect(try queue.lastSequence() == 5)
    #expect(try queue.append([Records.reading(5)]).map(\.sequence) == [6])
    #expect(try queue.waiting(for: "mqtt", limit: 10).map(\.sequence) == [6])
  }

  @Test("a commit is on disk before it is acknowledged (WAL, synchronous FULL)")
  func synchronous() throws {
    let folder = Folder()
    let path = folder.path("queue.sqlite")
    let queue = try RecordQueue(path: path, hub: "north", receivers: ["mqtt"])
    #expect(try queue.settings == ["wal", "2"])
  }

  @Test("a record waits for each receiver until this receiver has acknowledged the record")
  func receivers() throws {
    let folder = Folder()
    let queue = try RecordQueue(
      path: folder.path("queue.sqlite"), hub: "north", receivers: ["mqtt", "http"])
    try queue.append((0..<10).map(Records.reading))
    try queue.acknowledge("mqtt", through: 7)
    try queue.acknowledge("http", [2, 4])
    #expect(try queue.waiting(for: "mqtt", limit: 100).map(\.sequence) == [8, 9, 10])
    #expect(
      try queue.waiting(for: "http", after: 3, limit: 3).map(\.sequence) == [5, 6, 7])
    let standings = try queue.standings()
    #expect(standings.map(\.waiting) == [3, 8])
    #expect(standings.map(\.oldest) == [Records.reading(7).time, Records.reading(0).time])
  }

  @Test(
    "records in excess of the maximum number are dropped, oldest first, and counted and reported")
  func limits() throws {
    let folder = Folder()
    var limits = RecordQueue.Limits()
    limits.records = 10
    let path = folder.path("queue.sqlite")
    let queue = try RecordQueue(path: path, hub: "north", receivers: ["mqtt"], limits: limits)
    try queue.append((0..<25).map(Records.reading))
    let losses = try queue.keepLimits(now: Records.reading(25).time)
    #expect(losses == [.init(receiver: "mqtt", count: 15, range: 1...15)])
    let waiting = try queue.waiting(for: "mqtt", limit: 100)
    #expect(waiting.map(\.sequence) == Array(16...26))
    #expect(waiting.last?.record.kind == "dropped")
    #expect(
      waiting.last?.record.body == #"{"receiver":"mqtt","count":15,"first":1,"last":15}"#)
    #expect(try queue.standings().map(\.dropped) == [15])
    // Records dropped for a receiver remain in the history.
    #expect(try queue.history(kind: "reading", from: 0, to: .max, limit: 100).count == 25)
  }

  @Test("records older than the age limit are dropped, and old history is deleted")
  func age() throws {
    let folder = Folder()
    var limits = RecordQueue.Limits()
    (limits.age, limits.history) = (60, 3600)
    let queue = try RecordQueue(
      path: folder.path("queue.sqlite"), hub: "north", receivers: ["mqtt"], limits: limits)
    try queue.append((0..<25).map(Records.reading))
    let losses = try queue.keepLimits(now: Records.reading(70).time)
    #expect(losses == [.init(receiver: "mqtt", count: 10, range: 1...10)])
    try queue.acknowledge("mqtt", through: 20)
    try queue.keepLimits(now: Records.reading(7200).time)
    // Records 21 to 25, which include the record that reported the first loss, were dropped as well
    // by then, so nothing is left.
    #expect(try queue.history(kind: "reading", from: 0, to: .max, limit: 100).isEmpty)
    #expect(try queue.standings().map(\.dropped) == [16])
  }

  @Test("the latest time of each key is found separately for each kind of record")
  func latest() throws {
    let folder = Folder()
    let queue = try RecordQueue(path: folder.path("queue.sqlite"), hub: "north", receivers: [])
    #expect(try queue.latest(kind: "reading").isEmpty)
    func record(_ kind: String, _ key: String, _ time: Int64) -> NewRecord {
      NewRecord(kind: kind, key: key, time: time, body: "{}")
    }
    try queue.append([
      record("reading", "a", 10), record("reading", "b", 40), record("reading", "a", 30),
      // The records' times are slightly out of order.
      record("reading", "a", 20), record("alarm", "a", 50), record("alarm", "c", 60),
    ])
    #expect(try queue.latest(kind: "reading") == ["a": 30, "b": 40])
    #expect(try queue.latest(kind: "alarm") == ["a": 50, "c": 60])
    #expect(try queue.latest(kind: "event").isEmpty)
  }

  @Test("a file of schema version 1 gets the index of version 2 and keeps its records")
  func secondVersion() throws {
    let folder = Folder()
    let path = folder.path("queue.sqlite")
    do {
      let queue = try RecordQueue(path: path, hub: "north", receivers: ["mqtt"])
      try queue.append((0..<20).map(Records.reading))
      try queue.close()
    }
    // Creates a file with schema version 1.
    let database = try DatabaseQueue(path: path)
    func names() throws -> [String] {
      try database.read {
        try String.fetchAll($0, sql: "SELECT name FROM sqlite_master WHERE name = 'record_key'")
      }
    }
    try database.write {
      try $0.execute(sql: "DROP INDEX record_key")
      try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '2 %'")
    }
    #expect(try names().isEmpty)
    let queue = try RecordQueue(path: path, hub: "north", receivers: ["mqtt"])
    #expect(try names() == ["record_key"])
    #expect(try queue.waiting(for: "mqtt", limit: 100).map(\.sequence) == Array(1...20))
    let latest = try queue.latest(kind: "reading")
    #expect(latest.count == 7 && latest["tag-5"] == Records.reading(19).time)
    let plan = try database.read {
      try Row.fetchAll(
        $0,
        sql: "EXPLAIN QUERY PLAN SELECT key FROM record WHERE kind = 'reading' AND key > '' "
          + "ORDER BY key LIMIT 1")
    }
    #expect(plan.contains { ($0["detail"] as String).contains("record_key") }, "\(plan)")
    try queue.close()
    try database.close()
  }

  @Test("a queue that belongs to a different hub or a newer program is rejected")
  func others() throws {
    let folder = Folder()
    let path = folder.path("queue.sqlite")
    try RecordQueue(path: path, hub: "north", receivers: []).close()
    #expect(throws: QueueError.otherHub("north", "south")) {
      try RecordQueue(path: path, hub: "south", receivers: [])
    }
    let database = try DatabaseQueue(path: path)
    try database.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9 of the future')")
    }
    try database.close()
    #expect(throws: QueueError.newer) {
      try RecordQueue(path: path, hub: "north", receivers: [])
    }
  }

  @Test("the JSON of a sent record starts with hub, epoch, number, kind and time")
  func json() {
    let record = NewRecord(
      kind: "reading", key: "a", time: 1_795_413_600_250_000_000, body: #"{"t":1}"#)
    #expect(
      QueuedRecord(sequence: 17, record: record).json(hub: "no\"rth", epoch: "e1")
        == #"{"hub":"no\"rth","epoch":"e1","sequence":17,"kind":"reading","time":"2026-11-23T06:00:00.250000000Z","t":1}"#
    )
  }
}

/// The records that the tests store.
enum Records {
  /// Returns a reading at a second.
  static func reading(_ second: Int) -> NewRecord {
    NewRecord(
      kind: "reading", key: "tag-\(second % 7)",
      time: 1_700_000_000_000_000_000 + Int64(second) * 1_000_000_000,
      body: "{\"temperature_c\":\(second)}")
  }
}

@Suite("the record queue and the wall clock")
struct QueueClockTests {
  private static let year: Int64 = 365 * 86_400_000_000_000

  @Test(
    "a step of the wall clock does not change the age of records",
    arguments: [10 * year, -10 * year])
  func ages(step: Int64) throws {
    let folder = Folder()
    var limits = RecordQueue.Limits()
    (limits.age, limits.history) = (60, 3600)
    let queue = try RecordQueue(
      path: folder.path("queue.sqlite"), hub: "north", receivers: ["mqtt"], limits: limits)
    try queue.append((0..<5).map(Records.reading))
    let told = NewRecord(
      kind: "alarm", key: "hub", time: Records.reading(5).time + step, body: "{}")
    let steps = [RecordQueue.ClockStep(sequence: 6, by: step)]
    #expect(try queue.append([told]).map(\.sequence) == [6])
    #expect(try queue.keepLimits(now: Records.reading(50).time + step, steps: steps).isEmpty)
    #expect(
      try queue.keepLimits(now: Records.reading(63).time + step, steps: steps)
        == [.init(receiver: "mqtt", count: 3, range: 1...3)])
    let latest = try queue.latest(kind: "reading", steps: steps)
    #expect(latest["tag-4"] == Records.reading(4).time + step)
  }

  @Test("a recreated queue file has a new epoch, and a reopened file keeps its epoch")
  func epochs() throws {
    let folder = Folder()
    func epoch(_ name: String) throws -> String {
      let queue = try RecordQueue(path: folder.path(name), hub: "north", receivers: [])
      defer { try? queue.close() }
      return queue.epoch
    }
    let first = try epoch("one.sqlite")
    #expect(try first.utf8.count == 16 && epoch("one.sqlite") == first)
    #expect(try epoch("other.sqlite") != first)
  }

  @Test("closing a queue leaves a single file")
  func alone() throws {
    let folder = Folder()
    let queue = try RecordQueue(path: folder.path("q.sqlite"), hub: "north", receivers: ["mqtt"])
    try queue.append((0..<5000).map(Records.reading))
    _ = try queue.standings()
    try queue.close()
    #expect(try folder.names == ["q.sqlite"])
  }
}
