package import Bridges
import I2C
package import Parts

extension SensorFailure {
  /// A sentence with the reason, where the board in between could not be reached.
  ///
  /// - Parameters:
  ///   - absence: why it cannot be reached; `nil` where it can, or where there is none.
  ///   - withRemedy: whether it also says what to do.
  /// - Returns: the sentence.
  package func told(
    behind absence: SimulatedGATTLink.Absence?, withRemedy: Bool = false
  ) -> String {
    guard let absence, case .wire(let error) = kind, error.kind == .noDevice else {
      return "\(self)"
    }
    let remedy = withRemedy ? "; \(absence.remedy)" : ""
    return "\(step): \(absence.reason) (\(error.errno))\(remedy)"
  }
}
