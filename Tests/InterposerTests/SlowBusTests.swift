import Foundation
import I2C
import Interposer
import Testing

/// A slow bus next to a fast one.
struct SlowBusTests {
  /// An adapter whose targets all read 0x2A; on the slow bus only after a file exists, with a timeout of two minutes.
  final class Patient: I2CAdapter {
    let functionality = I2CFunctionality.standard
    let quirks = I2CQuirks.none
    let file: String?

    init(until file: String?) { self.file = file }

    func transfer(
      _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
    ) throws(I2CError) {
      let end = ContinuousClock.now + .seconds(120)
      while let file, !FileManager.default.fileExists(atPath: file), ContinuousClock.now < end {
        Thread.sleep(forTimeInterval: 0.01)
      }
      for index in reading.indices { reading[index] = 0x2A }
    }
  }

  @Test("a slow bus blocks only the programs that access this bus")
  func outOfOrder() async throws {
    // The interposer runs in a separate process, because that process becomes the parent of the program and its
    // orphans.
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
      let buses = [1: nil, 2: file].map { number, file in
        InterposedBus(
          number: number, name: "bus \(number)",
          node: I2CDeviceNode(adapter: Patient(until: file)), isSlow: file != nil)
      }
      let script = """
        (i2cget -y 2 0x50 0; echo slow) & sleep 0.3
        for i in 1 2 3; do i2cget -y 1 0x50 0; done; echo quick; : > \(file); wait; rm \(file)
        """
      let status = try Interposer(buses).run(["sh", "-c", script], notice: { print($0) })
      exit(status)
    }
    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.contains("0x2a\n0x2a\n0x2a\nquick\n0x2a\nslow\n"), "\(output)")
  }
}
