/// A record as it comes: what happened, before it has a number.
package struct NewRecord: Sendable, Equatable {
  /// What it tells: `reading`, `alarm` or `event`.
  package let kind: String
  /// Of what: a tag's address, an alarm's name.
  package let key: String
  /// When it happened, in nanoseconds since 1970, UTC.
  package let time: Int64
  /// The rest of it: a JSON object, as text.
  package let body: String
  /// Whether it is sent at once, and waits for no batch; the disk keeps nothing of this.
  package let isUrgent: Bool

  /// Creates a record.
  ///
  /// - Precondition: the body is a JSON object, `{...}`.
  package init(kind: String, key: String, time: Int64, body: String, isUrgent: Bool = false) {
    precondition(body.hasPrefix("{") && body.hasSuffix("}"), "a record's body is a JSON object")
    (self.kind, self.key, self.time, self.body) = (kind, key, time, body)
    self.isUrgent = isUrgent
  }
}

/// A record that is on disk, with the number by which receivers drop repeats.
package struct QueuedRecord: Sendable, Equatable {
  /// Its number: the first of a hub is 1, each later one is larger, none comes twice.
  package let sequence: Int64
  /// What it says.
  package let record: NewRecord

  /// Creates it.
  package init(sequence: Int64, record: NewRecord) {
    (self.sequence, self.record) = (sequence, record)
  }

  /// The object that is sent: hub, epoch, sequence, kind and time stand first, then the body.
  ///
  /// - Parameters:
  ///   - hub: the hub's name.
  ///   - epoch: what names the file in which it has its number.
  /// - Returns: JSON on one line.
  package func json(hub: String, epoch: String) -> String {
    let head =
      "{\"hub\":\(JSONText.quoted(hub)),\"epoch\":\(JSONText.quoted(epoch)),"
      + "\"sequence\":\(sequence),\"kind\":\(JSONText.quoted(record.kind)),"
      + "\"time\":\"\(UTCStamp.exact(record.time))\""
    let rest = record.body.dropFirst()
    return head + (rest == "}" ? "" : ",") + rest
  }
}
