import DriverDefects
package import I2CTrace
package import Parts

/// Listens to what a program does wrong with a BME280 or a BMP280.
package struct BME280Listener: PartListener {
  private var conversation: LiveConversation

  /// Creates a listener.
  ///
  /// - Parameter longestRead: how many bytes the adapter reads at once; 0 for any number.
  init(longestRead: Int) { conversation = LiveConversation(longestRead: longestRead) }

  package mutating func take(_ transfer: TracedTransfer) { conversation.take(transfer) }

  package mutating func remark() -> PartRemark? {
    conversation.worst().map { PartRemark($0.sentence, others: $0.others) }
  }
}
