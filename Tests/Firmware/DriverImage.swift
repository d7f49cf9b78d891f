// The smallest firmware with the driver: the size of its text section is the driver's size on a microcontroller.

import BME280
import I2C

/// The bus transfer, defined by the board that links the image.
@_silgen_name("board_transfer")
func boardTransfer(
  _ address: UInt16, _ isRead: Bool, _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int32

@_silgen_name("board_nanoseconds")
func boardNanoseconds() -> UInt64

@_silgen_name("board_show")
func boardShow(_ value: Int32)

/// An adapter that passes each message to the board.
final class BoardAdapter: I2CAdapter {
  var functionality: I2CFunctionality { .i2c }
  var quirks: I2CQuirks { .none }

  func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    for index in segments.indices {
      let segment = segments[index]
      let status =
        segment.direction == .read
        ? reading.withUnsafeMutableBytes {
          boardTransfer(segment.address.rawValue, true, $0.baseAddress, segment.count)
        }
        : writing.withUnsafeBytes {
          boardTransfer(
            segment.address.rawValue, false, UnsafeMutableRawPointer(mutating: $0.baseAddress),
            segment.count)
        }
      guard status == 0 else { throw I2CError(.addressNack, message: index, errno: .enxio) }
    }
  }
}

/// A clock that waits by polling the board's time.
final class BoardClock: I2CClock {
  var nanoseconds: UInt64 { boardNanoseconds() }

  func wait(nanoseconds: UInt64) {
    let end = boardNanoseconds() + nanoseconds
    while boardNanoseconds() < end {}
  }
}

@main
struct DriverImage {
  static func main() {
    let driver = BME280Driver(adapter: BoardAdapter(), clock: BoardClock())
    do throws(BME280DriverError) {
      try driver.start()
      let raw = try driver.measureRaw()
      guard let calibration = driver.calibration else { return }
      let fine = IntegerCompensation<Shifting>.fineTemperature(raw.temperature, calibration)
      boardShow(IntegerCompensation<Shifting>.temperature(fine: fine))
      boardShow(
        Int32(
          truncatingIfNeeded: IntegerCompensation<Shifting>.pressure64(
            raw.pressure, fine: fine, calibration) ?? 0))
      boardShow(
        Int32(
          bitPattern: IntegerCompensation<Shifting>.humidity(raw.humidity, fine: fine, calibration))
      )
    } catch {
      boardShow(-1)
    }
  }
}
