import Bench
import I2C
import I2CTrace
import Interposer
import Rigs
import TraceTools

/// What `aneroid exec` is asked for; `ExecCommand` says what each of its words means.
struct ExecRequest: Equatable {
  var rig: String?
  var bus: String?
  var address: Address?
  var number: Int?
  var map: [NumberMapping] = []
  var fast = false
  var clock: Rig.ClockKind = .real
  var limit: Interval?
  var stall = Interval(nanoseconds: VirtualTime.usualPatience)
  var board: Board?
  var log = false
  var trace: String?
  var replay: ReplayMode = .lenient
  var times: Replay.Pace = .kept
  var frequency: BusFrequency?
  var fault: [String] = []
  var events: String?
  var silent = false
  var quiet = false
  var parent: Int32?
  var steps: Int32?
  var grace = Interval(nanoseconds: 10_000_000_000)
  var program: [String] = []

  /// What cannot be meant, or `nil`.
  var complaint: String? {
    guard !program.isEmpty else { return CommandNames.missingProgram(Arguments.own) }
    if let number, !I2CBusNumber.all.contains(number) {
      return "--number must be from 0 to \(I2CBusNumber.all.upperBound)"
    }
    guard bus == nil || (rig == nil && map.isEmpty) else {
      return "--bus stands alone: no --rig and no --map with it"
    }
    guard bus == nil || !isReal || clock == .real else {
      return "the time of a real bus cannot be virtual"
    }
    guard trace == nil || bus == nil || isReal || namedRig != nil else {
      return "a replay is not recorded again"
    }
    guard frequency == nil || bus == nil || namedRig != nil else {
      return "--frequency is for virtual buses: a real adapter and a trace have their own"
    }
    guard address == nil || (rig == nil && bus == nil) else {
      return
        "--address moves the part of the bench that runs without a rig: not with --rig or --bus"
    }
    guard Address.isOfBuiltInPart(address) else { return Address.builtInPartRule }
    guard number == nil || map.isEmpty else {
      return "--number is for the only bus, --map for one of several: not both"
    }
    guard events != nil || !silent else {
      return EventOutput.missingForSilence
    }
    guard Set(map.map(\.from)).count == map.count else {
      return "--map names a bus twice"
    }
    return nil
  }

  /// The rig that is named, by either option; one of several buses is chosen by --rig with --map.
  var namedRig: String? {
    if let rig { return rig }
    guard let bus, case .rig(let file, nil) = BusReference(bus) else { return nil }
    return file
  }

  /// Whether --bus names a real adapter.
  private var isReal: Bool {
    guard let bus, case .adapter = BusReference(bus) else { return false }
    return true
  }
}
