package import Files
import Images
package import Rigs
package import Runs
package import TraceTools

/// The firmware of a rig, run and judged as a pipeline is.
package struct RigFirmware {
  private let run: FirmwareRun
  private let judge: Judging

  /// What hears each event before it is told.
  private final class Judging {
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

  /// Puts the rig together; `nil` where it has no firmware.
  ///
  /// - Parameters:
  ///   - rig: the rig.
  ///   - trace: records every transfer.
  ///   - report: takes each event.
  /// - Throws: `Failure` when the image does not fit, or the rig cannot be put together.
  package init?(
    _ rig: Rig, trace: TraceOutput?, report: @escaping (RunEvent) -> Void
  ) throws(Failure) {
    guard let plan = rig.firmware else { return nil }
    let image = try Self.image(of: plan, in: rig)
    let model = try MicrocontrollerModel.chosen(plan.microcontroller, for: image)
    var options = FirmwareOptions()
    options.duration = rig.duration ?? options.duration
    options.isReal = rig.clock == .real
    options.endings = plan.endings.compactMap { SerialPattern($0) }
    options.trace = trace
    for expectation in rig.expectations {
      switch expectation.condition {
      case .energy, .battery: options.energy = true
      case .memory(.stack, _): options.watchesStack = true
      default: break
      }
    }
    let bench = try FirmwareBench(image, on: model, rig, ports: plan.ports, options: options)
    let judge = Judging(rig, report)
    self.judge = judge
    run = try FirmwareRun(
      bench, options: options, standardOutput: { _ in }, report: judge.take)
  }

  /// Reads the image; one that is not there is told with what makes it, where the rig says so.
  private static func image(
    of plan: FirmwarePlan, in rig: Rig
  ) throws(Failure) -> FirmwareImage {
    do throws(Failure) {
      return try FirmwareImage(
        path: plan.image, rawAddress: plan.address,
        for: MicrocontrollerModel.profiles(plan.microcontroller))
    } catch {
      guard error.kind == .missingInput, let builder = plan.builder else { throw error }
      throw Failure(
        .missingInput, "\(rig.file):\(plan.line): there is no image \(plan.image): run \(builder)")
    }
  }

  /// Runs it to its end.
  ///
  /// - Returns: which expectations were met.
  /// - Throws: `Failure` when something could not be written.
  package func verdict() throws(Failure) -> Verdict {
    let ending = try run.run()
    let verdict = judge.judge.verdict(at: ending.time)
    judge.report(.verdict(verdict))
    return verdict
  }
}
