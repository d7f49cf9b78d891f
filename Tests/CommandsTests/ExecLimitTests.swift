import Foundation
import TestSupport
import Testing

/// Rarely used waits with a timeout, in virtual time.
struct ExecLimitTests {
  private static func exec(_ kind: String) throws -> CommandLineTool.Result {
    try ExecClockTests.exec([VirtualBusBench.client("limits"), kind])
  }

  /// The expected end of each wait, in seconds.
  private static let moments = [
    "signals": ["2.0", "2.0", "2.0", "3.0", "3.0", "1.0", "1.0", "1.5"],
    "priority": ["1.5", "2.0"], "queues": ["3.0", "2.0", "2.0", "3.0"],
    "semaphores": ["1.0", "2.0", "2.0", "10.0"],
  ]

  @Test(
    "waits for signals, lock owners, messages and semaphores end as on Linux",
    arguments: ["signals", "priority", "queues", "semaphores"])
  func sameAsLinux(_ kind: String) throws {
    // Linux provides the expected results, but on a busy machine its times are later.
    let native = try CommandLineTool.run(URL(filePath: VirtualBusBench.client("limits")), [kind])
    let result = try Self.exec(kind)
    func results(_ text: String) -> String { text.replacing(/after .*/, with: "") }
    #expect(native.outputLines.count >= 2, "\(native.errors)")
    #expect(results(result.output) == results(native.output))
    let moments = result.outputLines.compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(moments == Self.moments[kind])
    #expect(result.errors.isEmpty)
  }

  @Test("a socket timeout is reported once, because it follows the machine's clock")
  func sockets() throws {
    let result = try Self.exec("sockets")
    #expect(result.output == "recv -11\n")
    let notices = result.errors.split(separator: "\n")
    #expect(notices.count == 1, "\(result.errors)")
    #expect(notices.first?.contains("SO_RCVTIMEO") == true)
    let real = try VirtualBusBench.exec([VirtualBusBench.client("limits"), "sockets"])
    #expect(real.errors.isEmpty)
  }

  @Test("an audit gives no verdict on a program whose timeouts follow the machine's clock")
  func unjudged() throws {
    let source = try Fixtures.text("Tests/Peers/audit/reader.py")
    // The program waits for its measurement with a receive that only ends by its timeout.
    let wait = """
      import socket, struct
      silent, _other = socket.socketpair()
      def pause(seconds):
          limit = struct.pack("ll", 0, int(seconds * 1e6) or 1)
          silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
          try: silent.recv(1)
          except BlockingIOError: pass

      """
    let conversion = "        time.sleep(0.010)\n        self.wait(0x08)\n"
    try #require(source.contains(conversion))
    let changed = source.replacing("def main():", with: wait + "def main():")
      .replacing(conversion, with: "        pause(0.02)\n")
    let path = try Mutants.written(changed, name: "machine-wait.py")
    let result = try AuditTests.audit(
      KillRateTests.values + ["--scenario", "slow-conversion"], ["/usr/bin/python3", path])
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("not judged: a program sets a socket timeout"))
  }
}
