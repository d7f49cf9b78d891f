import Foundation
import Rigs
import Runs
import TestSupport
import Testing

/// Programs are told of a changed forecast, only with leave.
struct NotificationTests {
  let path = FileManager.default.temporaryDirectory
    .appending(path: "notified-\(UUID().uuidString)").path

  var text: String {
    SampleRig.changed(
      "expect:",
      to: "notify:\n  - {on: forecast-change, run: [touch, \"\(path)-{forecast}-{name}\"]}\nexpect:"
    )
  }

  @Test("with leave the program runs, once for each change, with its words replaced")
  func allowed() throws {
    let told = path + "-stable-sample"
    defer { try? FileManager.default.removeItem(atPath: told) }
    let options = RigRun.Options(allowsPrograms: true)
    let (events, _) = try SampleRig.run(text, options: options)
    var sent: [RunEvent.NotificationSent] = []
    for case .notification(let notification) in events { sent.append(notification) }
    #expect(sent.map(\.command) == [["touch", told]])
    #expect(sent.map(\.wasRun) == [true])
    #expect(FileManager.default.fileExists(atPath: told))
  }

  @Test("without leave nothing runs, and the event says so")
  func withheld() throws {
    let (events, _) = try SampleRig.run(text)
    var sent: [RunEvent.NotificationSent] = []
    for case .notification(let notification) in events { sent.append(notification) }
    #expect(sent.map(\.wasRun) == [false])
    #expect(!FileManager.default.fileExists(atPath: path + "-stable-sample"))
  }

  @Test("a program that is not there is told, and the run goes on")
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
