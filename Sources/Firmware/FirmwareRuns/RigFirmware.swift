import Images
package import Rigs
package import Runs
package import Support
package import TraceTools

/// The firmware of a rig, which is executed and checked against the rig's expectations like a pipeline.
package struct RigFirmware {
  private let run: FirmwareRun
  private let judge: ExpectationObserver

  /// An observer that passes each event to the expectation checker before the event is reported.
  private final class ExpectationObserver {
    let judge: RunJudge
    let report: (RunEvent) -> Void

    init(_ rig: Rig, _ report: @escaping (RunEvent) -> Void) {
      judge = RunJudge(rig.expectations)
      self.report = report
    }

    func take(_ event: RunEvent) {
      judge.observe(event)
      report(event)
    }
  }

  /// Assembles the bench; returns `nil` if the rig has no firmware.
  ///
  /// - Parameters:
  ///   - rig: the rig.
  ///   - trace: the trace output to which every bus transfer is written, if any.
  ///   - report: a callback that receives the events.
  /// - Throws: `Failure` if the image does not fit, or if the rig is invalid.
  package init?(
    _ rig: Rig, trace: TraceOutput?, report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    guard let settings = rig.firmware else { return nil }
    let image = try Self.image(of: settings, in: rig)
    let model = try MicrocontrollerModel.chosen(settings.microcontroller, for: image)
    var options = FirmwareOptions()
    options.duration = rig.duration ?? options.duration
    options.isReal = rig.clock == .real
    options.fuses = settings.fuses
    options.endings = settings.endings.compactMap { SerialPattern($0) }
    options.trace = trace
    for expectation in rig.expectations {
      switch expectation.condition {
      case .energy, .battery: options.energy = true
      case .memory(.stack, _): options.watchesStack = true
      case .pin(let condition) where !options.watchedPins.contains { $0.pin == condition.pin }:
        options.watchedPins.append((condition.pin, expectation.line))
      default: break
      }
    }
    let bench = try FirmwareBench(image, on: model, rig, ports: settings.ports, options: options)
    let judge = ExpectationObserver(rig, report)
    self.judge = judge
    run = try FirmwareRun(
      bench, options: options, standardOutput: { _ in }, report: judge.take)
  }

  /// Reads the image; if the image is missing, the error names the rig's build command, if any.
  private static func image(
    of settings: FirmwareConfiguration, in rig: Rig
  ) throws(Failure) -> FirmwareImage {
    let profiles = MicrocontrollerModel.profiles(settings.microcontroller)
    do throws(Failure) {
      var image = try FirmwareImage(
        path: settings.image, rawAddress: settings.address, for: profiles)
      for path in settings.others {
        image = try image.adding(FirmwareImage(path: path, for: profiles))
      }
      return image
    } catch {
      guard error.kind == .missingInput, let builder = settings.builder else { throw error }
      throw Failure(
        .missingInput,
        "\(rig.file):\(settings.line): image \(settings.image) does not exist: run \(builder)")
    }
  }

  /// Runs the firmware and checks the expectations.
  ///
  /// - Returns: the result of each expectation.
  /// - Throws: `Failure` if an output cannot be written.
  package func verdict() throws(Failure) -> Verdict {
    let ending = try run.run()
    let verdict = judge.judge.verdict(at: ending.time)
    judge.report(.verdict(verdict))
    return verdict
  }
}
