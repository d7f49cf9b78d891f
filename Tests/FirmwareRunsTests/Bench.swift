import FirmwareRuns
import Foundation
import Images
import Rigs
import Runs
import Support
import TestSupport

/// The result of a run.
struct Outcome {
  var ending: FirmwareEnding?
  /// Standard output.
  var output = ""
  /// Standard output at the time of each notice.
  var outputBeforeNotices: [String] = []
  /// The events, in order.
  var events: [RunEvent] = []

  /// The texts of notices.
  var notices: [String] {
    events.compactMap { if case .notice(let notice) = $0 { notice.text } else { nil } }
  }
  /// The messages of a failure.
  var failure: [String] {
    guard case .failure(let messages) = ending?.cause else { return [] }
    return messages
  }
}

/// Execution of images of Tests/Firmware/C.
enum Firmware {
  /// Runs an ELF file.
  ///
  /// Default duration: 10 s.
  static func run(
    _ image: URL, on name: String = "nrf52832", rig: Rig? = nil,
    _ change: (inout FirmwareOptions) -> Void = { _ in }
  ) throws -> Outcome {
    try run(FirmwareImage(path: image.path), on: name, rig: rig, change)
  }

  /// Runs an image.
  static func run(
    _ image: FirmwareImage, on name: String = "nrf52832", rig: Rig? = nil,
    _ change: (inout FirmwareOptions) -> Void = { _ in }
  ) throws -> Outcome {
    var options = FirmwareOptions()
    options.duration = 10_000_000_000
    change(&options)
    let outcome = Box()
    let model = try MicrocontrollerModel.chosen(name, for: image)
    let bench = try FirmwareBench(image, on: model, rig ?? Rig.builtIn(), options: options)
    let run = try FirmwareRun(
      bench, options: options,
      standardOutput: { outcome.value.output += String(decoding: $0, as: UTF8.self) },
      report: {
        if case .notice = $0 { outcome.value.outputBeforeNotices.append(outcome.value.output) }
        outcome.value.events.append($0)
      })
    outcome.value.ending = try run.run()
    return outcome.value
  }

  private final class Box { var value = Outcome() }
}
