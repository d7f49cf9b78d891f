import Conformance
import Foundation
import LinuxI2C
import Testing

/// The Linux adapter on a node of `aneroid exec` passes the conformance check of all adapters.
struct ConformanceNodeTests {
  /// Passes the path of the bus to this test, which runs again as a program on the bench.
  static let variable = "ANEROID_CONFORMANCE_BUS"

  @Test("the /dev/i2c-1 of a program meets every clause of the adapter conformance tests")
  func conformanceOfNode() throws {
    if let path = ProcessInfo.processInfo.environment[Self.variable] {
      let differences = Conformance.differences(
        of: try LinuxI2CAdapter(path: path), [.anyMessages, .emptyMessages, .causes])
      #expect(differences.isEmpty, "\(differences.map(\.description).joined(separator: "\n"))")
      // Printed only by the child process, to distinguish it from a run without tests.
      print("checked \(path): \(Clause.all.count) clauses")
      return
    }
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let result = try VirtualBusBench.exec(
      [tests, "--testing-library", "swift-testing", "--filter", "ConformanceNodeTests"],
      environment: [Self.variable: "/dev/i2c-1"])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("checked /dev/i2c-1: \(Clause.all.count) clauses"))
  }
}
