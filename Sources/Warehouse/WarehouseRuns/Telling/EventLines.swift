/// Writes events in a format.
final class EventLines {
  private let format: WarehouseFormat
  private let write: (String) -> Void
  private var isFirst = true

  init(_ format: WarehouseFormat, _ write: @escaping (String) -> Void) {
    (self.format, self.write) = (format, write)
  }

  func take(_ event: WarehouseEvent) {
    switch format {
    case .text: write(event.text + "\n")
    case .jsonl: write(event.json + "\n")
    case .json: write((isFirst ? "[\n" : ",\n") + event.json)
    }
    isFirst = false
  }

  /// There are no more.
  func end() { if format == .json { write("\n]\n") } }
}
