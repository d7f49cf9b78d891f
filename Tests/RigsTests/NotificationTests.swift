import Foundation
import Rigs
import Runs
import TestSupport
import Testing

/// Programs run when a forecast has changed, but only with permission.
struct NotificationTests {
  let path = FileManager.default.temporaryDirectory
    .appending(path: "notified-\(UUID().uuidString)").path

  var text: String {
    SampleRig.changed(
      "expect:",
      to: "notify:\n  - {on: forecast-change, run: [touch, \"\(path)-{forecast}-{name}\"]}\nexpect:"
    )
  }

  @Test("with permission the program runs, once for each change, with placeholders replaced")
  func allowed() throws {
    let reported = path + "-stable-sample"
    defer { try? FileManager.default.removeItem(atPath: reported) }
    let options = RigRun.Options(allowsPrograms: true)
    let (events, _) = try SampleRig.run(text, options: options)
    var sent: [RunEvent.NotificationSent] = []
    for case .notification(let notification) in events { sent.append(notification) }
    #expect(sent.map(\.command) == [["touch", reported]])
    #expect(sent.map(\.wasRun) == [true])
    #expect(FileManager.default.fileExists(atPath: reported))
  }

  @Test("a forecast notification says whether the backup source replaced the sensor")
  func source() throws {
    try #"{"current": {"time": 0, "surface_pressure": 1000}}"#.write(
      toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = text.replacing("\(path)-{forecast}-{name}", with: "{source}")
      .replacing("forecast: thesis", with: "forecast: thesis\n  backup: {file: \(path)}")
      .replacing(
        "constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}",
        with: "ramp: {from: {pressure: 1005hPa}, to: {pressure: 1002hPa}, over: 1h}"
      )
      .replacing(
        "notify:",
        with:
          "faults:\n  - {at: 59min, kind: nack-address, bus: 1, address: 0x76, count: 9999}\nnotify:"
      )
    var reported: [String] = []
    for case .notification(let sent) in try SampleRig.run(text).events {
      reported.append(sent.command[1])
    }
    #expect(reported == ["sensor", "backup"])
  }

  @Test("without permission no program runs, and the event says so")
  func withheld() throws {
    let (events, _) = try SampleRig.run(text)
    var sent: [RunEvent.NotificationSent] = []
    for case .notification(let notification) in events { sent.append(notification) }
    #expect(sent.map(\.wasRun) == [false])
    #expect(!FileManager.default.fileExists(atPath: path + "-stable-sample"))
  }

  @Test("a missing program is reported, and the run continues")
  func missing() throws {
    let text = text.replacingOccurrences(of: "[touch,", with: "[no-such-program-here,")
    let rig = try Rig(text: text, file: SampleRig.file)
    var notices: [String] = []
    let verdict = try RigRun(
      rig, options: RigRun.Options(allowsPrograms: true),
      notice: { notices.append($0) }
    ).run()
    #expect(verdict.passed)
    #expect(notices == ["notification: no-such-program-here exited with 127"])
  }
}
