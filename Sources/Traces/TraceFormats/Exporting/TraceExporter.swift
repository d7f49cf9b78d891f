public import I2CTrace

/// Forms that a trace can be given for other tools.
public enum ExportKind: String, Hashable, Sendable, CaseIterable {
  /// A Value Change Dump of SDA and SCL, for PulseView, GTKWave and whatever decodes I2C.
  case vcd
  /// A table with a row for each message.
  case csv
  /// A shell script of i2ctransfer commands that does it again, with the answers as comments.
  case i2ctransfer
}

/// Gives a trace the form of another tool, transfer by transfer.
public struct TraceExporter {
  private var form: any ExportForm
  private let bus: Int?

  /// Begins.
  ///
  /// - Parameters:
  ///   - kind: the form.
  ///   - header: what the trace says of itself.
  ///   - bus: the only bus to be exported, all where `nil`.
  ///   - print: takes the text in pieces.
  public init(
    _ kind: ExportKind, _ header: TraceHeader, bus: Int?, to print: @escaping ([UInt8]) -> Void
  ) {
    self.bus = bus
    form =
      switch kind {
      case .vcd: ChangeDumpForm(header, bus, print)
      case .csv: TableForm(print)
      case .i2ctransfer: ScriptForm(print)
      }
  }

  /// Takes a transfer.
  public mutating func take(_ transfer: TracedTransfer) {
    guard bus == nil || transfer.bus == bus else { return }
    form.take(transfer)
  }

  /// Ends.
  ///
  /// - Returns: what could not be shown, one sentence each.
  public mutating func finish() -> [String] { form.finish() }
}

/// One form of export.
protocol ExportForm {
  mutating func take(_ transfer: TracedTransfer)
  mutating func finish() -> [String]
}
