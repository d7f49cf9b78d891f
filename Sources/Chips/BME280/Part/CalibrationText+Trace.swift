import BME280
import DriverDefects
import I2C
import I2CTrace
import Text

extension CalibrationText {
  /// How a trace begins.
  static let traceMark = #"{"i2ctrace""#

  /// Takes the calibration that a program reads in a trace; of several parts that of the first that is whole.
  init(trace text: String) throws(FormatError) {
    var parts: [Place: RecordedPart] = [:]
    do {
      var rest: [UInt8]? = Array(text.utf8)
      var reader = try TraceReader {
        defer { rest = nil }
        return rest
      }
      while let transfer = try reader.next() {
        guard let address = transfer.messages.first?.segment.address else { continue }
        parts[Place(bus: transfer.bus, address: address), default: RecordedPart()].take(transfer)
      }
    } catch let error as TraceError where error.kind == .cutOff {
      // What came before may be enough.
    } catch let error as TraceError {
      throw FormatError("line \(error.line): \(error.message)")
    } catch {
      throw FormatError("\(error)")
    }
    var problem = FormatError("nothing is read in it from 0x88 on, where a calibration begins")
    for (_, part) in parts.inOrder(by: { $0.key < $1.key }) where part.registers[0x88] != nil {
      do throws(FormatError) {
        self = try CalibrationText(registers: part.registers)
        return
      } catch {
        problem = error
      }
    }
    throw problem
  }

  /// Where a part of a trace is.
  private struct Place: Hashable, Comparable {
    let bus: Int
    let address: I2CAddress

    static func < (left: Place, right: Place) -> Bool {
      (left.bus, left.address.rawValue) < (right.bus, right.address.rawValue)
    }
  }
}
