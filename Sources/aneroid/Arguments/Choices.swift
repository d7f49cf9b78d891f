public import ArgumentParser
public import I2CTrace
import Runs
import TraceTools

extension SensorReading.Format: ExpressibleByArgument {}
extension ReplayMode: ExpressibleByArgument {}

extension Replay.Pace: ExpressibleByArgument {
  /// Reads `kept`, `ignored` or a factor.
  public init?(argument: String) { self.init(argument) }

  /// How help names the usual pace.
  public var defaultValueDescription: String { "kept" }
}
