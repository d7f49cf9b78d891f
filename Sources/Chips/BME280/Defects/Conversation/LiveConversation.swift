package import I2C
package import I2CTrace

/// Listens to a program and the parts at 0x76 and 0x77 while they talk, in constant memory.
package struct LiveConversation {
  /// What is wrong with a conversation, in words for a line.
  package struct Remark: Hashable, Sendable {
    /// Where the part is.
    package let address: I2CAddress
    /// The worst of what happened, with how often.
    package let sentence: String
    /// How many other kinds of mistakes there were.
    package let others: Int
  }

  /// Classes that a real part punishes, with wrong or old data or with settings that are lost; the worst first.
  private static let punished = [
    "B24", "B25", "B26", "B09", "B21", "B29", "B22", "B23", "B30", "B37", "B33", "B34", "B27",
    "B32",
  ]

  private var audits: [I2CAddress: ProtocolChecker] = [:]
  private let longestRead: Int

  /// Creates a listener.
  ///
  /// - Parameter longestRead: how many bytes the adapter reads at once; 0 for any number.
  package init(longestRead: Int) { self.longestRead = longestRead }

  /// Whether anything that happens at an address is of interest.
  package static func isHeard(_ address: I2CAddress) -> Bool { address.rawValue & 0x3FE == 0x76 }

  /// Takes what has happened.
  package mutating func take(_ transfer: TracedTransfer) {
    guard let address = transfer.messages.first?.segment.address, Self.isHeard(address) else {
      return
    }
    audits[address, default: ProtocolChecker(longestRead: longestRead, hasTimes: true)].take(
      transfer)
  }

  /// What was wrong, part by part; nothing of a program that dumps all registers.
  package mutating func remarks() -> [Remark] {
    audits.keys.sorted { $0.rawValue < $1.rawValue }.compactMap { address in
      guard var audit = audits[address], !audit.isDump else { return nil as Remark? }
      audit.finish()
      return Self.remark(audit.findings, at: address)
    }
  }

  private static func remark(_ findings: [ConversationFinding], at address: I2CAddress) -> Remark? {
    let heard = findings.filter { $0.classID.map(punished.contains) ?? false }
    let worst = punished.lazy.compactMap { id in heard.first { $0.classID == id } }.first
    guard let worst else { return nil }
    let count = heard.filter { $0.kind == worst.kind && $0.classID == worst.classID }
      .reduce(0) { $0 + $1.count }
    let kinds = Set(heard.map { [$0.classID, $0.kind] })
    let times = count == 1 ? "once" : "\(count) times"
    return Remark(
      address: address, sentence: "\(worst.sentence) (\(times))", others: kinds.count - 1)
  }
}
